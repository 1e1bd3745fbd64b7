import type { Availability } from '@tollbook/endpoints/endpoint'
import type { Issue } from '@tollbook/http/problem'
import { pausedProblem } from '@tollbook/upstream/upstream-breaker'
import type { Voice } from '../voices/voice.ts'
import type { VoiceList } from '../voices/voice-catalogue.ts'
import { chooseVoice } from './choose-voice.ts'
import type { SpeechEngine } from './speech-engine.ts'

/** The dependencies of speech. */
export type SpeechDesk = {
  readonly engines: readonly SpeechEngine[]
  /** The operator's names, and the ids of their voices. */
  readonly names: ReadonlyMap<string, string>
}

/** Retry interval for a provider that did not list its voices. */
const RETRY_SECONDS = 60

type Asked = { readonly voice: string; readonly speed: number }

/** Whether any voice of the list is available now. */
export function canSpeak(desk: SpeechDesk, list: VoiceList): Availability {
  const engines = desk.engines.filter((engine) => findProvider(engine.provider, list))
  if (engines.length === 0)
    return {
      isAvailable: false,
      problem: {
        code: 'not_configured',
        detail:
          'No speech engine is configured: the operator installs espeak-ng or flite, or configures a provider of voices.',
      },
    }
  const pauses = engines
    .filter(({ provider }) => findProvider(provider, list)?.available)
    .map((engine) => pauseOf(engine))
  if (pauses.includes(0)) return { isAvailable: true }
  const shortest = pauses.length === 0 ? RETRY_SECONDS : Math.min(...pauses)
  return { isAvailable: false, problem: pausedProblem('speech upstream', shortest) }
}

/** The voice that a caller selects and its provider, or the issues of the call; determined without waiting. */
export function findEngineFor(
  { voice: requested, speed }: Asked,
  desk: SpeechDesk,
  list: VoiceList,
): { readonly issue: Issue } | { readonly voice: Voice; readonly engine: SpeechEngine } {
  const engineOf = (id: string) => desk.engines.find(({ provider }) => provider === id)
  const isReady = (id: string) => {
    const engine = engineOf(id)
    return engine !== undefined && findProvider(id, list)?.available === true && pauseOf(engine) === 0
  }
  const chosen = chooseVoice(requested, { list, names: desk.names, isReady })
  if ('issue' in chosen) return { issue: { parameter: 'voice', ...chosen.issue } }
  const { voice } = chosen
  const engine = engineOf(voice.provider)
  if (!engine)
    return { issue: { parameter: 'voice', detail: 'is not available here', code: 'not_configured' } }
  if (!isReady(voice.provider)) {
    const detail = `is a voice of ${voice.provider}, which is not available now`
    return { issue: { parameter: 'voice', detail, code: 'unavailable' } }
  }
  const { min, max } = engine.speeds
  if (speed < min || speed > max) {
    const detail = `must be ${min} to ${max} for voices of ${voice.provider}`
    return { issue: { parameter: 'speed', detail } }
  }
  return { voice, engine }
}

function findProvider(id: string, { providers }: VoiceList) {
  return providers.find((provider) => provider.id === id && provider.voices > 0)
}

function pauseOf(engine: SpeechEngine): number {
  return engine.pauseSeconds?.() ?? 0
}
