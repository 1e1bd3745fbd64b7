import type { Endpoint } from '@tollbook/endpoints/endpoint'
import { loadEndpoints } from '@tollbook/endpoints/load'
import type { Service } from '@tollbook/endpoints/service'
import { defineOtherNames } from './define-other-names.ts'
import { isOfMessages } from './messages/mounted-endpoints.ts'
import type { InferencePorts } from './ports.ts'
import type { SpeechDesk } from './speech/speech-desk.ts'
import type { VoiceCatalogue, VoiceList } from './voices/voice-catalogue.ts'

type Options = { readonly baseUrl: string; readonly ports: InferencePorts }

/** The listing's description of the currently available voices; null if there are none. */
type SpeechDescription = () => string | null

export async function createInferenceService({ baseUrl, ports }: Options): Promise<Service> {
  const speechDescription = createSpeechDescription(ports.voices, ports.speech)
  return {
    name: 'inference',
    title: 'Tollbook Inference',
    description: 'Speech and language models, paid per call over x402; the catalogue of voices is free.',
    baseUrl,
    endpoints: [
      ...(await loadEndpoints(new URL('.', import.meta.url)))
        .filter((endpoint) => !isOfMessages(endpoint))
        .map((endpoint) => describeSpeech(endpoint, speechDescription)),
      ...defineOtherNames(ports.tiers),
    ],
    tools: ['chat.completions', 'audio.speech', 'audio.transcriptions', 'audio.voices', 'models'],
    ports,
    edition: () => speechDescription() ?? '',
  }
}

/** Each call reads it several times, so it is rebuilt only for a changed list. */
function createSpeechDescription(voices: VoiceCatalogue, desk: SpeechDesk): SpeechDescription {
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

/** Adds the current number of voices to the listing, because it differs per installation. */
function describeSpeech(endpoint: Endpoint, description: SpeechDescription): Endpoint {
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
