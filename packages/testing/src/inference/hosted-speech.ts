import { readFileSync } from 'node:fs'
import type { SpeechFormat } from '@tollbook/inference/sound/spoken'
import { toWav } from '@tollbook/inference/sound/write-wav'
import { createAzure } from '@tollbook/inference/speech/hosted/azure'
import { createElevenLabs } from '@tollbook/inference/speech/hosted/elevenlabs'
import { createGoogle } from '@tollbook/inference/speech/hosted/google'
import { createKokoro } from '@tollbook/inference/speech/hosted/kokoro'
import { createOpenAi } from '@tollbook/inference/speech/hosted/openai'
import { createPiper } from '@tollbook/inference/speech/hosted/piper'
import { createPolly } from '@tollbook/inference/speech/hosted/polly'
import type { SpeechProvider } from '@tollbook/inference/speech/hosted/speech-provider'
import { createSafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import { type SpeechAnswer, type SpeechRequest, startSpeechUpstream } from './speech-upstream.ts'

/** Replaces every key; it must never be sent to anyone but the provider. */
export const SPEECH_KEY = 'the-key-of-the-operator'

export const HOSTED = ['azure', 'google', 'polly', 'elevenlabs', 'openai', 'kokoro', 'piper'] as const
export type Hosted = (typeof HOSTED)[number]

/** What a provider documents or was recorded to answer: apps/inference/src/speech/hosted/golden/SOURCES.md. */
export function recordedOf(name: string): never {
  const file = new URL(`../../../../apps/inference/src/speech/hosted/golden/${name}.json`, import.meta.url)
  // The reader knows the form of what it requested.
  return JSON.parse(readFileSync(file, 'utf8')) as never
}

const fetch = createSafeFetch({
  allowPrivateNetwork: true,
  limits: { connectMs: 60_000, headersMs: 60_000, idleMs: 60_000 },
})

/** The date that Amazon's test suite signs at. */
const NOW = new Date('2015-08-30T12:36:00Z')

/** The adapter of a provider, over an upstream that a test answers for. */
export function openHosted(name: Hosted, url: string, timeoutMs = 60_000): SpeechProvider {
  const place = { url, fetch, timeoutMs, key: SPEECH_KEY }
  switch (name) {
    case 'azure':
      return createAzure(place)
    case 'google':
      return createGoogle(place)
    case 'polly': {
      const credentials = { accessKey: 'AKIDEXAMPLE', secretKey: SPEECH_KEY }
      return createPolly({ ...place, region: 'eu-west-1', credentials, now: () => NOW })
    }
    case 'elevenlabs':
      return createElevenLabs({ ...place, model: 'eleven_multilingual_v2' })
    case 'openai':
      return createOpenAi({ ...place, url: `${url}/v1`, model: 'tts-1', voices: ['alloy', 'verse'] })
    case 'kokoro':
      return createKokoro({ ...place, url: `${url}/v1` })
    case 'piper':
      return createPiper(place)
  }
}

/** A provider's answer to a request for its voices; null for a request for speech. */
export function listOf(name: Hosted, { method, path }: SpeechRequest): SpeechAnswer | null {
  if (method !== 'GET') return null
  return {
    body: name === 'openai' ? { object: 'list', data: [] } : recordedOf(`${name}-voices`),
    headers: { path },
  }
}

/** A sound as a provider answers it, with the content type that it documents. */
function soundOf(name: Hosted, sound: Uint8Array, type: string): SpeechAnswer {
  if (name === 'google') return { body: { audioContent: Buffer.from(sound).toString('base64') } }
  // Flask gives bytes its own default.
  const told = name === 'piper' ? 'text/html; charset=utf-8' : type
  return { body: sound, headers: { 'content-type': told } }
}

/** A tenth of a second at 24,000 samples, of a sawtooth that is not silence. */
export const PCM = new Uint8Array(new Int16Array(2_400).map((_, index) => (index % 100) * 300).buffer)
export const WAV = toWav(PCM, 24_000)
/** A frame of MPEG-2 layer III at 64 kbit/s and 24,000 samples, empty: 192 bytes (72 * 64,000 / 24,000). */
export const FRAME = Uint8Array.from({ length: 192 }, (_, index) => [0xff, 0xf3, 0x84, 0xc4][index] ?? 0)

const SOUNDS = { mp3: [FRAME, 'audio/mpeg'], wav: [WAV, 'audio/wav'], pcm: [PCM, 'audio/pcm'] } as const
/** If a provider has no format of its own for what is sold, it returns raw samples or a WAV. */
const GIVEN: Partial<Record<Hosted, 'pcm' | 'wav'>> = { polly: 'pcm', elevenlabs: 'pcm', google: 'wav' }

/** A short sound in the form in which a provider returns a format. */
export function sampleOf(name: Hosted, format: SpeechFormat): SpeechAnswer {
  const kind = name === 'piper' ? 'wav' : format === 'mp3' ? 'mp3' : (GIVEN[name] ?? format)
  const [sound, type] = SOUNDS[kind]
  return soundOf(name, sound, type)
}

/** A provider over an upstream that lists what is documented and speaks in the format that is ordered. */
export async function startHosted(name: Hosted, format: SpeechFormat = 'mp3') {
  const upstream = await startSpeechUpstream((request) => listOf(name, request) ?? sampleOf(name, format))
  const { source, engine } = openHosted(name, upstream.url)
  const listing = await source.list(new AbortController().signal)
  if (!listing.isAvailable) throw new Error(listing.reason)
  return { upstream, engine, voices: listing.voices }
}
