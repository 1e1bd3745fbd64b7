import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { ProblemError } from '@tollbook/http/problem'
import { buildScriptedWhisper, type ScriptedSpeech } from '@tollbook/testing/inference/scripted-whisper'
import { whisperSkip } from '@tollbook/testing/models/native-engines'
import type { Transcriber, TranscriptionOrder } from '../transcriber.ts'
import { openWhisper, type WhisperOptions } from './open-whisper.ts'

const skip = whisperSkip()
const NEVER = new AbortController().signal
/** Two seconds of a tone; the model hears its script in any sound. */
const TONE = Int16Array.from({ length: 32_000 }, (_, at) => Math.round(Math.sin(at / 5) * 5000))
const ORDER: TranscriptionOrder = {
  recording: { pcm: new Uint8Array(TONE.buffer), seconds: 2 },
  language: null,
  prompt: null,
  temperature: null,
  needsWords: false,
}
const SEA = { script: [0, ' Hello', ' from', ' the', ' sea', '.', 1, 1, ' It', "'s", ' deep', '.', 2] }

let folder = ''
let english: Transcriber
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tollbook-whisper-'))
  if (skip === false) english = await open('english.bin', SEA)
})
after(() => rm(folder, { recursive: true, force: true }))

async function open(name: string, speech: ScriptedSpeech, more: Partial<WhisperOptions> = {}) {
  const file = join(folder, name)
  await writeFile(file, buildScriptedWhisper(speech))
  return openWhisper({ file, threads: 1, variant: 'default', ...more })
}

test('an English model returns segments with their times', { skip }, async () => {
  assert.deepEqual(english.languages, ['en'])
  assert.deepEqual(await english.transcribe(ORDER, NEVER), {
    text: "Hello from the sea. It's deep.",
    language: 'english',
    segments: [
      { text: ' Hello from the sea.', start: 0, end: 1 },
      { text: " It's deep.", start: 1, end: 2 },
    ],
    words: [],
  })
})

test('words have times, and are grouped in segments of sentences', { skip }, async () => {
  const { words, segments, text } = await english.transcribe({ ...ORDER, needsWords: true }, NEVER)
  assert.deepEqual(
    words.map(({ word }) => word),
    ['Hello', 'from', 'the', 'sea.', "It's", 'deep.'],
  )
  assert.ok(words.every(({ start, end }, at) => start <= end && start >= (words[at - 1]?.start ?? 0)))
  assert.deepEqual(
    segments.map((segment) => [segment.text, segment.start, segment.end]),
    [
      [' Hello from the sea.', words[0]?.start, words[3]?.end],
      [" It's deep.", words[4]?.start, 2],
    ],
  )
  assert.equal(text, "Hello from the sea. It's deep.")
})

test('a prompt precedes the speech, and only for its own call', { skip }, async () => {
  // Each word of the prompt, and the mark before it, advances the script by one word.
  const { text } = await english.transcribe({ ...ORDER, prompt: ' from the' }, NEVER)
  assert.equal(text, "the sea. It's deep.")
  assert.equal((await english.transcribe(ORDER, NEVER)).text, "Hello from the sea. It's deep.")
})

test('a multilingual model reports the language it detects, and accepts a requested one', {
  skip,
}, async () => {
  const german = await open('german.bin', { script: [0, ' Das', ' Meer', 2], language: 'de' })
  assert.equal(german.languages?.length, 99)
  const { text, language } = await german.transcribe(ORDER, NEVER)
  assert.deepEqual([text, language], ['Das Meer', 'german'])
  assert.equal((await german.transcribe({ ...ORDER, language: 'jv' }, NEVER)).language, 'javanese')
})

test('a disconnect or the deadline ends the work; the model is reloaded', { skip }, async () => {
  const caller = new AbortController()
  const left = english.transcribe(ORDER, caller.signal).catch((error: unknown) => error)
  setImmediate(() => caller.abort(new Error('gone')))
  assert.deepEqual(await left, new Error('gone'))
  assert.equal(english.isReady?.(), true)
  assert.match((await english.transcribe(ORDER, NEVER)).text, /^Hello/)
})

test('when too many recordings wait, the next is rejected at once', { skip }, async () => {
  const busy = await open('busy.bin', SEA, { maxWaiting: 0 })
  const first = busy.transcribe(ORDER, NEVER)
  const error = await busy.transcribe(ORDER, NEVER).catch((reason: unknown) => reason)
  assert.ok(error instanceof ProblemError && error.problem.code === 'unavailable')
  assert.match((await first).text, /^Hello/)
})

test('a missing or broken file is reported to the operator', { skip }, async () => {
  const whole = buildScriptedWhisper(SEA)
  for (const [name, bytes, words] of [
    ['missing.bin', null, /missing\.bin cannot be read/],
    ['text.bin', Buffer.from('not a model at all'), /text\.bin is not a ggml file of whisper\.cpp/],
    [
      'cut.bin',
      whole.subarray(0, whole.length / 2),
      /whisper\.cpp cannot load the model .*cut\.bin|ended with/,
    ],
  ] as const) {
    const file = join(folder, name)
    if (bytes) await writeFile(file, bytes)
    await assert.rejects(openWhisper({ file, threads: 1, variant: 'default' }), { message: words })
  }
})
