import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toSrt, toVerbose, toVtt } from './write-transcript.ts'

const TRANSCRIPT = {
  text: 'a <b> & c\nd',
  language: 'english',
  segments: [
    { start: 0, end: 1.25, text: ' a <b> & c\n\nd' },
    { start: 3599.9996, end: 3661.5, text: 'e --> f' },
  ],
  words: [{ word: 'a', start: 0, end: 0.5 }],
}

test('SubRip numbers its cues, and no text can end one', () => {
  assert.equal(
    toSrt(TRANSCRIPT),
    '1\n00:00:00,000 --> 00:00:01,250\na <b> & c d\n\n2\n01:00:00,000 --> 01:01:01,500\ne --> f\n',
  )
})

test('WebVTT escapes text that looks like markup', () => {
  assert.equal(
    toVtt(TRANSCRIPT),
    'WEBVTT\n\n00:00:00.000 --> 00:00:01.250\na &lt;b&gt; &amp; c d\n\n01:00:00.000 --> 01:01:01.500\ne --&gt; f\n',
  )
})

test('no carriage return ends a line of a cue', () => {
  const text = 'a\r\r00:00:05.000 --> 00:00:06.000\rb\r\nc'
  assert.equal(
    toVtt({ ...TRANSCRIPT, segments: [{ start: 0, end: 1, text }] }),
    'WEBVTT\n\n00:00:00.000 --> 00:00:01.000\na 00:00:05.000 --&gt; 00:00:06.000 b c\n',
  )
})

test('a run of two million spaces is written in linear time', () => {
  const text = `a${' '.repeat(2_000_000)}b`
  assert.equal(toSrt({ ...TRANSCRIPT, segments: [{ start: 0, end: 1, text }] }).length, text.length + 33)
})

test('verbose_json has segments, unless only words are requested', () => {
  const keysOf = (...granularities: string[]) =>
    Object.keys(toVerbose(TRANSCRIPT, { seconds: 4000, granularities: new Set(granularities) })).slice(4)
  assert.deepEqual(keysOf(), ['segments'])
  assert.deepEqual(keysOf('segment'), ['segments'])
  assert.deepEqual(keysOf('word'), ['words'])
  assert.deepEqual(keysOf('word', 'segment'), ['segments', 'words'])
})
