import type { Config } from '../../config.ts'
import { espeakNg } from '../../inference/voices/espeak-ng.ts'
import { flite } from '../../inference/voices/flite.ts'
import type { VoiceSource } from '../../inference/voices/voice-source.ts'
import { openSpeechProviders } from '../setup/open-speech-providers.ts'
import type { Finding } from './finding.ts'

const TIMEOUT_MS = 15_000

/** Lists the voices of configured providers, which is free, and of optional programs of this machine. */
export async function checkSpeech(config: Config): Promise<readonly Finding[]> {
  const hosted = openSpeechProviders(config, config.TOLLBOOK_INFERENCE_BASE_URL ?? 'http://127.0.0.1')
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
