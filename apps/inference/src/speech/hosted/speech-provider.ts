import { ProblemError } from '@tollbook/http/problem'
import { createUpstreamBreaker } from '@tollbook/upstream/upstream-breaker'
import type { Voice } from '../../voices/voice.ts'
import type { VoiceSource } from '../../voices/voice-source.ts'
import type { SpeechEngine } from '../speech-engine.ts'

/** A provider of the operator: lists its voices and speaks with them. */
export type SpeechProvider = { readonly source: VoiceSource; readonly engine: SpeechEngine }

/** The provider-specific part of an adapter. */
type Adapter = Pick<SpeechEngine, 'provider' | 'speeds' | 'speak'> & {
  /** @throws ProblemError if it cannot */
  listVoices(signal: AbortSignal): Promise<readonly Voice[]>
}

/** Makes a provider from an adapter, with a circuit breaker for repeated failures of its upstream. */
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

/** If a provider lists a voice twice, the first counts. */
function dropDoubles(voices: readonly Voice[]): readonly Voice[] {
  return [...new Map(voices.toReversed().map((voice) => [voice.id, voice])).values()].toReversed()
}
