import { checkChatModels } from '@tollbook/runtime/check/check-chat-models'
import type { Finding } from '@tollbook/runtime/check/finding'
import type { Config } from '@tollbook/runtime/config'
import { espeakNg } from '../voices/espeak-ng.ts'
import { flite } from '../voices/flite.ts'
import type { VoiceSource } from '../voices/voice-source.ts'
import { openSpeechProviders } from './open-speech-providers.ts'

/** Checks the upstream that transcribes recordings; without one a model of this machine does, if any. */
export async function checkTranscription(config: Config): Promise<readonly Finding[]> {
  const { TOLLBOOK_TRANSCRIPTION_URL: url } = config
  if (url === undefined) return []
  const upstream = { name: 'recordings', url, key: config.TOLLBOOK_TRANSCRIPTION_KEY }
  const model = config.TOLLBOOK_TRANSCRIPTION_MODEL
  return [await checkChatModels(config, { ...upstream, model, settings: 'TOLLBOOK_TRANSCRIPTION' })]
}

const TIMEOUT_MS = 15_000

/** Lists the voices of configured providers, which is free, and of optional programs of this machine. */
export async function checkSpeech(config: Config): Promise<readonly Finding[]> {
  const hosted = openSpeechProviders(config, config.services.get('inference')?.baseUrl ?? 'http://127.0.0.1')
  return await Promise.all([
    ...[espeakNg, flite].map((source) => checkSource(source, 'note')),
    ...hosted.map(({ source }) => checkSource(source, 'failed')),
  ])
}

async function checkSource(source: VoiceSource, ifAbsent: Finding['verdict']): Promise<Finding> {
  const name = 'speech'
  const listing = await source.list(AbortSignal.timeout(TIMEOUT_MS))
  if (!listing.isAvailable) return { verdict: ifAbsent, name, text: `${source.id}: ${listing.reason}` }
  const { length } = listing.voices
  const text = `${source.id} lists ${length} voice${length === 1 ? '' : 's'}`
  return { verdict: length === 0 ? ifAbsent : 'ok', name, text }
}
