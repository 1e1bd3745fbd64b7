import type { Endpoint } from '../catalogue/endpoint.ts'
import type { SpeechDesk } from './speech/speech-desk.ts'
import type { VoiceCatalogue, VoiceList } from './voices/voice-catalogue.ts'

/** What the listing says of the voices there are at the time; null where nothing speaks. */
export type SpeechDescription = () => string | null

/** Each call asks for it several times, so it is written anew only for another list. */
export function createSpeechDescription(voices: VoiceCatalogue, desk: SpeechDesk): SpeechDescription {
  let list: VoiceList | undefined
  let text: string | null = null
  return () => {
    const current = voices.current()
    if (current === list) return text
    list = current
    text = describe(current, desk)
    return text
  }
}

/** Tells in the listing how many voices there are at the time, since that is each installation's own. */
export function describeSpeech(endpoint: Endpoint, description: SpeechDescription): Endpoint {
  if (endpoint.path !== '/v1/audio/speech') return endpoint
  return {
    ...endpoint,
    get description() {
      return description() ?? endpoint.description
    },
  }
}

function describe({ voices, providers }: VoiceList, { engines }: SpeechDesk): string | null {
  const speaking = providers.filter((provider) => provider.voices > 0)
  const speeds = engines
    .filter(({ provider }) => speaking.some(({ id }) => id === provider))
    .map((engine) => engine.speeds)
  if (speeds.length === 0) return null
  const count = `${say(voices.length, 'voice')} of ${say(speaking.length, 'provider')}`
  const min = Math.min(...speeds.map((speed) => speed.min))
  const max = Math.max(...speeds.map((speed) => speed.max))
  return `Text-to-speech of up to 3,000 characters, returns mp3, wav or pcm at speeds from ${min} to ${max}; ${count}, listed free under /v1/audio/voices.`
}

function say(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`
}
