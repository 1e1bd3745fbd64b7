import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { openService } from '@tollbook/testing/catalogue/open-service'
import { TEST_PAYER } from '@tollbook/testing/catalogue/run-endpoint'
import { inferencePorts } from '@tollbook/testing/inference/inference-ports'
import { recordedVoices } from '@tollbook/testing/inference/recorded-voices'
import { buildScriptedWhisper, type ScriptedSpeech } from '@tollbook/testing/inference/scripted-whisper'
import { whisperSkip } from '@tollbook/testing/models/native-engines'
import { temporaryFolder } from '@tollbook/testing/temporary-folder'
import { createWorkerPool } from '@tollbook/workers/pool'
import { createPrograms } from '../../../../engine/run-program.ts'
import { createInferenceService } from '../../../../service.ts'
import { toWav } from '../../../../sound/write-wav.ts'
import { findDecodableKinds } from '../../../../transcription/open-recording.ts'
import type { TranscriptionDesk } from '../../../../transcription/transcription-desk.ts'
import { openWhisper } from '../../../../transcription/whisper/open-whisper.ts'
import { flite } from '../../../../voices/flite.ts'
import { TRANSCRIPTION_EXAMPLE } from './example.ts'
import { MAX_FILE_BYTES } from './find-issues.ts'

/** What the model hears in any sound, with its times in seconds. */
const SCRIPT = [0, ' It', ' is', ' easy', '.', 0.8]

const programs = createPrograms()
const workers = createWorkerPool({ threads: 1, deadlineScale: 100 })
after(() => workers.close())

const folder = temporaryFolder('transcriptions')
const kinds = await findDecodableKinds()
const hasFlite = (await flite.list(new AbortController().signal)).isAvailable
const skip = whisperSkip()
const skipTrip = skip || (hasFlite && kinds.includes('mp3') ? false : 'flite or mpg123 is not installed')

/** The service with a model that hears the script. */
async function openWith(name: string, script: ScriptedSpeech['script']) {
  const file = join(folder, `${name}.bin`)
  writeFileSync(file, buildScriptedWhisper({ script }))
  const transcriber = await openWhisper({ file, threads: 1, variant: 'default' })
  return await openOn({ transcriber, kinds, programs })
}

async function openOn(transcription: TranscriptionDesk | null) {
  const ports = inferencePorts({ ...recordedVoices, transcription, workers })
  const service = await createInferenceService({ baseUrl: 'https://test.example', ports })
  return { ports, service, ask: openService(service).ask }
}

let main: Awaited<ReturnType<typeof openOn>>
before(async () => {
  main = skip === false ? await openWith('main', SCRIPT) : await openOn(null)
})

async function transcribe(
  file: Uint8Array,
  fields: readonly (readonly [string, string])[] = [],
  { ask } = main,
) {
  const form = new FormData()
  form.set('file', new File([new Uint8Array(file)], 'speech.bin'))
  for (const [name, value] of fields) form.append(name, value)
  const whole = new Response(form)
  const headers = { 'content-type': whole.headers.get('content-type') ?? '' }
  const raw = new Uint8Array(await whole.arrayBuffer())
  return await ask('/v1/audio/transcriptions', { method: 'POST', headers, raw, payer: TEST_PAYER })
}

async function speak(body: object): Promise<Uint8Array> {
  const whole = JSON.stringify({ input: 'It is easy to tell the depth of a well.', ...body })
  const response = await main.ask('/v1/audio/speech', { method: 'POST', body: whole, payer: TEST_PAYER })
  assert.equal(response.status, 200)
  return response.bytes
}

test('the example is what a model hears', { skip }, async () => {
  const { input, output } = TRANSCRIPTION_EXAMPLE
  const hello = await openWith('hello', [0, ' Hello', '.', 0.8])
  const fields = [['response_format', input.response_format]] as const
  const { status, body, text } = await transcribe(await input.file.bytes(), fields, hello)
  assert.equal(status, 200, text)
  assert.deepEqual(body, output)
})

test('what Flite speaks as mp3 is decoded and transcribed', { skip: skipTrip }, async () => {
  const { status, text } = await transcribe(await speak({ voice: 'flite.rms', response_format: 'mp3' }), [
    ['response_format', 'text'],
    ['language', 'en'],
  ])
  assert.deepEqual([status, text], [200, 'It is easy.\n'])
})

test('words and subtitles have times', { skip: skipTrip }, async () => {
  const wav = await speak({ voice: 'flite.rms', response_format: 'wav' })
  const words = await transcribe(wav, [
    ['response_format', 'verbose_json'],
    ['timestamp_granularities[]', 'word'],
  ])
  assert.equal(words.body.segments, undefined)
  assert.deepEqual(
    [words.body.text, words.body.words.map(({ word }: { word: string }) => word)],
    ['It is easy.', ['It', 'is', 'easy.']],
  )
  const ends = words.body.words.flatMap(({ start, end }: { start: number; end: number }) => [start, end])
  assert.deepEqual(
    ends,
    ends.toSorted((one: number, other: number) => one - other),
  )
  assert.ok(ends.at(-1) <= words.body.duration)
  const vtt = await transcribe(wav, [['response_format', 'vtt']])
  assert.equal(vtt.headers.get('content-type'), 'text/vtt; charset=utf-8')
  assert.equal(vtt.text, 'WEBVTT\n\n00:00:00.000 --> 00:00:00.800\nIt is easy.\n')
})

test('silence is refused and not charged', { skip }, async () => {
  const silent = await openWith('silent', [])
  const { status, body } = await transcribe(toWav(new Uint8Array(32_000), 16_000), [], silent)
  assert.equal(status, 422)
  assert.match(body.error.message, /No speech was found/)
})

/** A WAV of the given samples whose header declares another rate and size. */
function lyingWav(bytes: number, reported: { readonly rate: number; readonly size: number }): Uint8Array {
  const file = Buffer.from(toWav(new Uint8Array(bytes), reported.rate))
  file.writeUInt32LE(reported.size, 40)
  return file
}

// 300.1 seconds at 8,000 samples of 2 bytes a second are 4,801,600 bytes.
test('recordings beyond five minutes are rejected by their samples, whatever the header declares', {
  skip,
}, async () => {
  const { status, body } = await transcribe(lyingWav(4_801_600, { rate: 8_000, size: 0xffff_ffff }))
  assert.equal(status, 413)
  assert.deepEqual([body.error.code, body.problem.limit_seconds], ['too_large', 300])
})

test('an mp3 beyond five minutes is rejected when that much has been decoded', {
  skip: skipTrip,
}, async () => {
  const mp3 = Buffer.from(await speak({ voice: 'flite.kal', response_format: 'mp3' }))
  // 64 kbit/s are 8,000 bytes a second.
  const times = Math.ceil((300 * 8_000) / mp3.length) + 1
  const { status, body } = await transcribe(Buffer.concat(Array.from({ length: times }, () => mp3)))
  assert.equal(status, 413)
  assert.equal(body.error.code, 'too_large')
})

test('files that are too large or not recordings, and unsupported fields, are rejected', {
  skip,
}, async () => {
  const large = await transcribe(new Uint8Array(MAX_FILE_BYTES + 1))
  assert.deepEqual([large.status, large.body.error.param], [413, 'file'])
  assert.equal((await transcribe(Buffer.from('OggS'))).status, 415)
  assert.equal((await transcribe(Buffer.from('ID3 and no sound'))).status, kinds.includes('mp3') ? 422 : 415)
  assert.equal((await transcribe(Buffer.from('RIFF\0\0\0\0WAVE', 'latin1'))).status, 422)
  const wav = toWav(new Uint8Array(100), 16_000)
  for (const [name, value, status] of [
    ['language', 'de', 422],
    ['language', 'German', 400],
    ['temperature', '1.5', 400],
    ['timestamp_granularities[]', 'word', 400],
    ['response_format', 'diarized_json', 400],
    ['stream', 'true', 400],
  ] as const) {
    const refused = await transcribe(wav, [[name, value]])
    assert.deepEqual([refused.status, refused.body.error.param], [status, name])
  }
})

test('without an engine it is not sold', () => {
  const { ports, service } = main
  const endpoint = service.endpoints.find(({ path }) => path === '/v1/audio/transcriptions')
  const availability = endpoint?.availability?.({ ...ports, transcription: null })
  assert.ok(availability && !availability.isAvailable && availability.problem.code === 'not_configured')
  assert.match(availability.problem.detail, /tollbook models add whisper-base/)
})
