import type { Endpoint } from '../catalogue/endpoint.ts'
import type { VoiceCatalogue, VoiceList } from './voices/voice-catalogue.ts'

/** Tells in the listing how many voices there are at the time, since that is each installation's own. */
export function describeSpeech(endpoint: Endpoint, voices: VoiceCatalogue): Endpoint {
  if (endpoint.path !== '/v1/audio/speech') return endpoint
  return {
    ...endpoint,
    get description() {
      return describe(voices.current()) ?? endpoint.description
    },
  }
}

/** Null where there are no voices. */
export function describe({ voices, providers }: VoiceList): string | null {
  const speaking = providers.filter((provider) => provider.voices > 0).length
  if (speaking === 0) return null
  const count = `${say(voices.length, 'voice')} of ${say(speaking, 'provider')}`
  return `Text-to-speech of up to 3,000 characters, returns mp3, wav or pcm at speeds from 0.25 to 4; ${count}, listed free under /v1/audio/voices.`
}

function say(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`
}
