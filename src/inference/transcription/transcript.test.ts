import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toSegments } from './pocketsphinx.ts'
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

// Written by pocketsphinx_continuous 0.8+5prealpha for "one two three", pause, "four".
const WRITTEN = `one two three
<s> 0.000 0.110 1.000100
one 0.120 0.400 0.874139
two(2) 0.410 0.600 0.737024
three 0.610 1.170 1.000100
</s> 1.180 1.380 1.000000
[NOISE] four
<s> 4.320 4.390 0.999800
[NOISE] 4.400 4.670 0.877117
four 4.680 4.870 0.250000
`

test('words of PocketSphinx become segments at pauses, within the recording', () => {
  const segments = toSegments(WRITTEN, 4.8)
  assert.deepEqual(
    segments.map(({ start, end, text }) => [start, end, text]),
    [
      [0.12, 1.17, 'one two three'],
      [4.68, 4.8, 'four'],
    ],
  )
  // ln 0.25 = -1.386; (ln 0.874139 + ln 0.737024 + ln 1) / 3 = (-0.13452 - 0.30513) / 3 = -0.147.
  assert.deepEqual(
    segments.map(({ avg_logprob }) => avg_logprob),
    [-0.147, -1.386],
  )
  assert.deepEqual(toSegments('', 1), [])
})
