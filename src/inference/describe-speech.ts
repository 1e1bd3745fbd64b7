import type { Endpoint } from '../catalogue/endpoint.ts'
import type { VoiceCatalogue } from './voices/voice-catalogue.ts'

/** Tells in the listing how many voices there are, since that is each installation's own. */
export function describeSpeech(endpoint: Endpoint, { voices, providers }: VoiceCatalogue): Endpoint {
  const speaking = providers.filter((provider) => provider.voices > 0).length
  if (endpoint.path !== '/v1/audio/speech' || speaking === 0) return endpoint
  const count = `${say(voices.length, 'voice')} of ${say(speaking, 'provider')}`
  const description = `Text-to-speech of up to 3,000 characters, returns mp3, wav or pcm at speeds from 0.25 to 4; ${count}, listed free under /v1/audio/voices.`
  return { ...endpoint, description }
}

function say(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`
}
