import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openService } from '../../../../../../test/catalogue/open-service.ts'
import { TEST_PAYER } from '../../../../../../test/catalogue/run-endpoint.ts'
import { inferencePorts } from '../../../../../../test/inference/inference-ports.ts'
import { recordedVoices } from '../../../../../../test/inference/recorded-voices.ts'
import { createWorkerPool } from '../../../../../workers/pool.ts'
import { createPrograms } from '../../../../engine/run-program.ts'
import { createInferenceService } from '../../../../service.ts'
import { toWav } from '../../../../sound/write-wav.ts'
import { findDecodableKinds } from '../../../../transcription/open-recording.ts'
import { openPocketsphinx } from '../../../../transcription/pocketsphinx.ts'
import { flite } from '../../../../voices/flite.ts'
import { TRANSCRIPTION_EXAMPLE } from './example.ts'
import { MAX_FILE_BYTES } from './find-faults.ts'

const programs = createPrograms()
const workers = createWorkerPool({ threads: 1, deadlineScale: 100 })
after(() => workers.close())

const transcriber = await openPocketsphinx(programs)
const kinds = await findDecodableKinds()
const hasFlite = (await flite.list(new AbortController().signal)).isAvailable
const skip = transcriber ? false : 'pocketsphinx and pocketsphinx-en-us are not installed'
const skipTrip = skip || (hasFlite && kinds.includes('mp3') ? false : 'flite or mpg123 is not installed')

const transcription = transcriber && { transcriber, kinds, programs }
const ports = inferencePorts({ ...recordedVoices, transcription, workers })
const service = await createInferenceService({ baseUrl: 'https://test.example', ports })
const { ask } = openService(service)

async function transcribe(file: Uint8Array, fields: readonly (readonly [string, string])[] = []) {
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
  const response = await openService(service).ask('/v1/audio/speech', {
    method: 'POST',
    body: whole,
    payer: TEST_PAYER,
  })
  assert.equal(response.status, 200)
  return response.bytes
}

test('the example is what PocketSphinx hears', { skip }, async () => {
  const { file, response_format } = TRANSCRIPTION_EXAMPLE.input
  const { status, body, text } = await transcribe(await file.bytes(), [['response_format', response_format]])
  assert.equal(status, 200, text)
  // The last digits of its probabilities depend on the machine's arithmetic.
  const { segments, ...rest } = body
  const { segments: [wanted] = [], ...expected } = TRANSCRIPTION_EXAMPLE.output
  assert.deepEqual(rest, expected)
  assert.deepEqual([segments.length, segments[0].text], [1, wanted?.text])
  assert.ok(Math.abs(segments[0].start - 0.15) < 0.1 && Math.abs(segments[0].end - 0.57) < 0.1)
})

test('PocketSphinx transcribes what Flite speaks as mp3', { skip: skipTrip }, async () => {
  const { status, text } = await transcribe(await speak({ voice: 'flite.rms', response_format: 'mp3' }), [
    ['response_format', 'text'],
    ['language', 'en'],
  ])
  assert.equal(status, 200, text)
  const heard = new Set(text.trim().split(' '))
  const said = 'it is easy to tell the depth of a well'.split(' ')
  // Of ten words it mishears about three on average.
  assert.ok(said.filter((word) => heard.has(word)).length >= 7, text)
})

test('words and subtitles have times', { skip: skipTrip }, async () => {
  const wav = await speak({ voice: 'flite.rms', response_format: 'wav' })
  const words = await transcribe(wav, [
    ['response_format', 'verbose_json'],
    ['timestamp_granularities[]', 'word'],
  ])
  assert.equal(words.body.segments, undefined)
  assert.equal(words.body.words.map(({ word }: { word: string }) => word).join(' '), words.body.text)
  const ends = words.body.words.flatMap(({ start, end }: { start: number; end: number }) => [start, end])
  assert.deepEqual(
    ends,
    ends.toSorted((one: number, other: number) => one - other),
  )
  assert.ok(ends.at(-1) <= words.body.duration)
  const vtt = await transcribe(wav, [['response_format', 'vtt']])
  assert.equal(vtt.headers.get('content-type'), 'text/vtt; charset=utf-8')
  assert.match(vtt.text, /^WEBVTT\n\n00:00:00\.\d{3} --> /)
})

test('silence is refused and not charged', { skip }, async () => {
  const { status, body } = await transcribe(toWav(new Uint8Array(32_000), 16_000))
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
    ['prompt', 'names', 400],
    ['temperature', '0.5', 400],
    ['timestamp_granularities[]', 'word', 400],
    ['response_format', 'diarized_json', 400],
    ['stream', 'true', 400],
  ] as const) {
    const refused = await transcribe(wav, [[name, value]])
    assert.deepEqual([refused.status, refused.body.error.param], [status, name])
  }
})

test('without an engine it is not sold', () => {
  const endpoint = service.endpoints.find(({ path }) => path === '/v1/audio/transcriptions')
  const availability = endpoint?.availability?.({ ...ports, transcription: null })
  assert.ok(availability && !availability.isAvailable && availability.problem.code === 'not_configured')
})
