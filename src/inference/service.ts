import { loadEndpoints } from '../catalogue/load.ts'
import type { Service } from '../catalogue/service.ts'
import { defineAliases } from './chat/define-aliases.ts'
import { createSpeechDescription, describeSpeech } from './describe-speech.ts'
import { isOfMessages } from './messages/mounted-endpoints.ts'
import type { InferencePorts } from './ports.ts'

type Options = { readonly baseUrl: string; readonly ports: InferencePorts }

/** The inference service: speech and language models. */
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
      ...defineAliases(ports.tiers),
    ],
    ports,
    edition: () => speechDescription() ?? '',
  }
}
