import { ProblemError } from '../../../catalogue/problem.ts'
import { createUpstreamBreaker } from '../../../upstream/upstream-breaker.ts'
import type { Voice } from '../../voices/voice.ts'
import type { VoiceSource } from '../../voices/voice-source.ts'
import type { SpeechEngine } from '../speech-engine.ts'

/** A provider of the operator's: what lists its voices, and what speaks with them. */
export type SpeechProvider = { readonly source: VoiceSource; readonly engine: SpeechEngine }

/** What an adapter knows of its provider. */
type Adapter = Pick<SpeechEngine, 'provider' | 'speeds' | 'speak'> & {
  /** @throws ProblemError where it cannot */
  listVoices(signal: AbortSignal): Promise<readonly Voice[]>
}

/** Makes a provider of an adapter, which is left alone for a while when its upstream fails again and again. */
export function toProvider({ provider, speeds, speak, listVoices }: Adapter): SpeechProvider {
  const breaker = createUpstreamBreaker(`speech upstream ${provider}`)
  return {
    engine: {
      provider,
      speeds,
      pauseSeconds: breaker.pauseSeconds,
      speak: (order, signal) => breaker.run(() => speak(order, signal), signal),
    },
    source: {
      id: provider,
      async list(signal) {
        try {
          return { isAvailable: true, voices: dropDoubles(await listVoices(signal)) }
        } catch (error) {
          if (!(error instanceof ProblemError)) throw error
          return { isAvailable: false, reason: error.problem.detail }
        }
      },
    },
  }
}

/** A provider that names a voice twice means the first. */
function dropDoubles(voices: readonly Voice[]): readonly Voice[] {
  return [...new Map(voices.toReversed().map((voice) => [voice.id, voice])).values()].toReversed()
}
