import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { speech } from '@tollbook/inference/endpoints/v1/audio/speech/endpoint'
import { transcriptions } from '@tollbook/inference/endpoints/v1/audio/transcriptions/endpoint'
import { openAudio } from '@tollbook/inference/open/open-audio'
import { toWav } from '@tollbook/inference/sound/write-wav'
import { loadConfig } from '@tollbook/runtime/config'
import { inferencePorts } from '@tollbook/testing/inference/inference-ports'
import { buildScriptedWhisper } from '@tollbook/testing/inference/scripted-whisper'
import { whisperSkip } from '@tollbook/testing/models/native-engines'
import { type Customer, openShop, type Shop } from '@tollbook/testing/paying/shop'
import { temporaryFolder } from '@tollbook/testing/temporary-folder'
import { createWorkerPool } from '@tollbook/workers/pool'
import OpenAI, { BadRequestError } from 'openai'

const workers = createWorkerPool({ threads: 1, deadlineScale: 100 })
/** What the model hears in any sound. */
const SCRIPT = [0, ' It', ' is', ' easy', '.', 1]
const folder = temporaryFolder('audio')
const model = join(folder, 'model.bin')
writeFileSync(model, buildScriptedWhisper({ script: SCRIPT }))
const audio = await openAudio(
  loadConfig({
    TOLLBOOK_DATA_DIR: folder,
    ...(whisperSkip() === false && { TOLLBOOK_WHISPER_FILE: model, TOLLBOOK_WHISPER_THREADS: '1' }),
  }),
  'https://test.example',
)
const hasFlite = audio.voices.current().voices.some(({ id }) => id === 'flite.rms')
const skip = hasFlite ? whisperSkip() : 'flite is not installed'

let shop: Shop
let payer: Customer
before(async () => {
  if (skip !== false) return
  const ports = inferencePorts({ ...audio, workers })
  shop = await openShop({ endpoints: [speech, transcriptions], ports })
  payer = await shop.newPayer()
})
after(async () => {
  await shop?.close()
  await workers.close()
})

const openai = () =>
  new OpenAI({
    apiKey: 'unused',
    baseURL: `${shop.seller.url}/v1`,
    maxRetries: 0,
    fetch: shop.stockClient(payer).over(fetch),
  })

/** Runs a call and returns its result and its cost in micro-USDC. */
async function buy<Result>(call: () => Promise<Result>) {
  const before = await shop.balanceOf(payer.address)
  const result = await call()
  return { result, charged: before - (await shop.balanceOf(payer.address)) }
}

test('the openai package buys speech, and its transcript with words', { skip }, async () => {
  const spoken = await buy(() =>
    openai().audio.speech.create({
      model: 'tts-1',
      voice: 'onyx',
      response_format: 'wav',
      input: 'It is easy to tell the depth of a well.',
    }),
  )
  assert.equal(spoken.charged, 18_000n)
  const bytes = await spoken.result.arrayBuffer()
  const heard = await buy(() =>
    openai().audio.transcriptions.create({
      model: 'whisper-1',
      response_format: 'verbose_json',
      language: 'en',
      file: new File([new Uint8Array(bytes)], 'well.wav'),
      timestamp_granularities: ['word', 'segment'],
    }),
  )
  assert.equal(heard.charged, 15_000n)
  const { text, words, segments, duration } = heard.result
  assert.deepEqual([text, words?.map(({ word }) => word).join(' ')], ['It is easy.', 'It is easy.'])
  assert.ok(segments && segments.length > 0 && duration > 1)
})

test('the openai package throws its own class of error, and nothing is charged', { skip }, async () => {
  const { result, charged } = await buy(() =>
    openai()
      .audio.speech.create({ model: 'tts-1', voice: 'nobody.at.all', input: 'Hello' })
      .catch((error: unknown) => error),
  )
  assert.ok(result instanceof BadRequestError)
  assert.equal(result.param, 'voice')
  assert.equal(charged, 0n)
})

// 0.000006 dollars per character: 200 of them cost 0.0012, and 9 of them less than the minimum of 0.001.
for (const [characters, expected] of [
  [200, 1_200n],
  [9, 1_000n],
] as const) {
  test(`speech of ${characters} characters costs ${expected} micro-USDC by upto`, { skip }, async () => {
    await shop.allowPermit2(payer)
    const path = '/v1/audio/speech'
    const payment = await shop.sign(payer, path, { scheme: 'upto', method: 'POST' })
    const body = JSON.stringify({ input: 'a word, '.repeat(25).slice(0, characters), voice: 'flite.kal' })
    const { result, charged } = await buy(() =>
      shop.ask(path, payment, { method: 'POST', body, headers: { 'content-type': 'application/json' } }),
    )
    assert.equal(result.status, 200)
    assert.equal(charged, expected)
  })
}

test('a recording that is longer than its header states is refused, and nothing is charged', {
  skip,
}, async () => {
  const path = '/v1/audio/transcriptions'
  const payment = await shop.sign(payer, path, { method: 'POST' })
  // 301 seconds of 8,000 samples of 2 bytes, whose header states an unknown number of samples.
  const wav = Buffer.from(toWav(new Uint8Array(301 * 16_000), 8_000))
  wav.writeUInt32LE(0xffff_ffff, 40)
  const form = new FormData()
  form.set('file', new File([new Uint8Array(wav)], 'long.wav'))
  const { result, charged } = await buy(() => shop.ask(path, payment, { method: 'POST', body: form }))
  assert.deepEqual([result.status, charged], [413, 0n])
})
