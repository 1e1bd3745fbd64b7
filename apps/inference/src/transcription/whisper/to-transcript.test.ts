import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toTranscript } from './to-transcript.ts'

const words = { seconds: 10, needsWords: true }

test('tokens that end within a character are joined to whole ones', () => {
  // 漢 is three bytes, which whisper.cpp returns as two tokens: the first two bytes and the last one.
  const pieces = [
    { text: '', t0: 0, t1: 0 },
    { text: '\uFFFD', t0: 0, t1: 200 },
    { text: '\uFFFD', t0: 200, t1: 400 },
    { text: '字', t0: 400, t1: 800 },
    { text: '\uFFFD\uFFFD', t0: 800, t1: 900 },
  ]
  assert.deepEqual(toTranscript({ text: '漢字學', language: 'zh', pieces }, words), {
    text: '漢字學',
    language: 'chinese',
    words: [
      { word: '漢', start: 0, end: 0.4 },
      { word: '字', start: 0.4, end: 0.8 },
      { word: '學', start: 0.8, end: 0.9 },
    ],
    segments: [{ text: '漢字學', start: 0, end: 0.9 }],
  })
})

test('a segment of words ends with its sentence, or after seven seconds; nothing ends beyond the recording', () => {
  const said = [' So', '?', ' Yes', ' and', ' on']
  const pieces = said.map((text, at) => ({ text, t0: at * 3000, t1: (at + 1) * 3000 }))
  const { segments } = toTranscript({ text: said.join(''), language: 'en', pieces }, words)
  assert.deepEqual(segments, [
    { text: ' So?', start: 0, end: 6 },
    // From 6 to 10, where the recording ends.
    { text: ' Yes and on', start: 6, end: 10 },
  ])
  const longer = toTranscript({ text: said.join(''), language: 'en', pieces }, { ...words, seconds: 20 })
  assert.deepEqual(
    longer.segments.map(({ text }) => text),
    [' So?', ' Yes and', ' on'],
  )
})
