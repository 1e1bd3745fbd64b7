import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasSpeech } from './has-speech.ts'

test('descriptions of sounds are no speech', () => {
  const segments = [] as const
  for (const text of [
    '',
    ' . ',
    '[BLANK_AUDIO]',
    '(silence)',
    ' [Music] [Music]',
    '*coughs*',
    '♪ la ♪',
    '♪♪',
  ])
    assert.equal(hasSpeech({ text, segments }), false, text)
  for (const text of ['Yes.', '[Music] Hello', '(laughs) No.', '你好', '7'])
    assert.equal(hasSpeech({ text, segments }), true, text)
})

test('a text that a model made up for noise, by its own numbers, is no speech', () => {
  const madeUp = { start: 0, end: 5, text: 'Thank you.', no_speech_prob: 0.9, avg_logprob: -1.2 }
  assert.equal(hasSpeech({ text: 'Thank you.', segments: [madeUp] }), false)
  for (const heard of [
    { ...madeUp, no_speech_prob: 0.5 },
    { ...madeUp, avg_logprob: -0.3 },
    { start: 0, end: 5, text: 'Thank you.' },
  ])
    assert.equal(hasSpeech({ text: 'Thank you.', segments: [madeUp, heard] }), true)
})
