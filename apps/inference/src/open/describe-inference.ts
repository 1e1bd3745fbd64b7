import type { Service } from '@tollbook/endpoints/service'
import { findLocalServers, type LocalServer } from '@tollbook/models/find-local-servers'
import type { Config } from '@tollbook/runtime/config'
import type { Row } from '@tollbook/runtime/process/announce'
import { describeEndpoint } from '@tollbook/runtime/selling/describe-endpoint'
import { createSafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import { INSTALL } from '../engine/find-command.ts'
import type { InferencePorts } from '../ports.ts'

/** Maximum number of tiers and notes in a line. */
const MAX_SHOWN = 6
/** Providers of voices: eSpeak NG, Flite and seven that the operator configures. */
const MAX_PROVIDERS = 9
const READ_ON = 'see docs/inference.md'
const MODELS_FILE = `TOLLBOOK_MODELS_FILE=<file> npm start, with a server, a hosted service or a GGUF file (${READ_ON})`
const ADD_CHAT = `npx node src/main.ts models add qwen2.5-0.5b-instruct, or ${MODELS_FILE}`
const ADD_WHISPER = 'npx node src/main.ts models add whisper-base'
/** What enables an endpoint that is not configured. */
const ENABLED_BY: Readonly<Record<string, string>> = {
  '/v1/messages': ADD_CHAT,
  '/v1/embeddings': `npx node src/main.ts models add nomic-embed-text-v1.5, or ${MODELS_FILE}`,
  '/v1/audio/transcriptions': `${ADD_WHISPER}, or TOLLBOOK_WHISPER_FILE=<file> npm start (${READ_ON})`,
  '/v1/images/generations': `TOLLBOOK_MODELS_FILE=<file> npm start, with images (${READ_ON})`,
  '/v1/audio/speech': `${INSTALL.flite}; ${INSTALL['espeak-ng']}`,
}

/**
 * A line for each endpoint of models, voices and transcripts: whether it is sold, or how to enable it.
 * @param servers found on this machine; suggested, but never used automatically
 */
export function describeInference(
  services: readonly Service[],
  servers: readonly LocalServer[],
): readonly Row[] {
  const inference = services.find(({ name }) => name === 'inference')
  const of = (name: string, path: string, describe: () => string = () => 'sold') =>
    describeEndpoint({ name, path, services, enabledBy: ENABLED_BY[path], describe })
  const messages = of('messages', '/v1/messages')
  if (!inference) return messages
  // Those of the service, from openService.
  const ports = inference.ports as InferencePorts
  return [
    ['chat', describeChat(inference, ports)],
    ...messages,
    ...[...ports.tiers].flatMap(([name, { notes }]) => notes().map((note): Row => ['', `${name}: ${note}`])),
    ...of('embeddings', '/v1/embeddings'),
    ...(ports.embedder?.notes() ?? []).map((note): Row => ['', `embeddings: ${note}`]),
    ...of('images (v1)', '/v1/images/generations'),
    ['voices', describeVoices(ports)],
    ...of('speech', '/v1/audio/speech', () => describeSpeech(ports)),
    ...of('transcripts', '/v1/audio/transcriptions', () => describeTranscripts(ports)),
    ...servers.filter((server) => !isUsed(server, ports)).map((server): Row => ['offer', toOffer(server)]),
  ]
}

function describeChat({ endpoints }: Service, { tiers }: InferencePorts): string {
  const all = endpoints.filter(
    ({ path }) => path.startsWith('/v1/chat/completions') && !path.endsWith('/upto'),
  )
  const ready = [...tiers].filter(([, { model }]) => model.isReady()).map(([name]) => name)
  if (tiers.size === 0) return `not sold: ${ADD_CHAT}`
  return `${ready.length} of ${all.length} tiers sold${ready.length > 0 ? `: ${shorten(ready)}` : ''}; ${tiers.size} have a model`
}

function describeVoices({ voices }: InferencePorts): string {
  const { voices: all, providers, notes } = voices.current()
  const speaking = providers.filter((provider) => provider.voices > 0)
  const count = `${counted(all.length, 'voice')} of ${counted(speaking.length, 'provider')}`
  const missing = notes.length > 0 ? `; ${shorten(notes)}` : ''
  const names = speaking.map(({ id }) => id)
  const further = MAX_PROVIDERS - providers.length
  const others = speaking.length > 0 ? `${further} more` : counted(further, 'provider')
  const more =
    further > 0
      ? `; ${others} with keys or addresses, such as TOLLBOOK_KOKORO_URL=<URL> npm start (${READ_ON})`
      : ''
  return `${names.length > 0 ? `${count} (${shorten(names)})` : 'none'}${more}${missing}`
}

function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`
}

function describeSpeech({ voices }: InferencePorts): string {
  const { providers } = voices.current()
  return `sold: ${shorten(providers.filter(({ available }) => available).map(({ id }) => id))}`
}

function describeTranscripts({ transcription }: InferencePorts): string {
  const { engine, languages } = transcription?.transcriber ?? {}
  const known = languages ? `${languages.length === 1 ? languages[0] : `${languages.length} languages`}` : ''
  return `sold: ${engine}${known && `, ${known}`}`
}

/** Whether a tier already uses the server. */
function isUsed({ baseUrl }: LocalServer, { tiers }: InferencePorts): boolean {
  return [...tiers.values()].some(({ addresses }) => addresses.some((address) => isSame(address, baseUrl)))
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => text.replace('//localhost', '//127.0.0.1'))
  return a === b
}

function toOffer({ name, baseUrl, models }: LocalServer): string {
  const [model = ''] = models
  const more = models.length > 1 ? ` and ${models.length - 1} more` : ''
  const file = { tiers: { default: { upstreams: [{ base_url: baseUrl, model }] } } }
  return `${name} answers at ${baseUrl} with ${model}${more}; to sell it write ${JSON.stringify(file)} to a file, and set TOLLBOOK_MODELS_FILE to its path`
}

function shorten(names: readonly string[]): string {
  const rest = names.length - MAX_SHOWN
  return names.slice(0, MAX_SHOWN).join(', ') + (rest > 0 ? ` and ${rest} more` : '')
}

/** Model servers on this machine, to be suggested; none if the operator disabled probing. */
export async function offerLocalServers(config: Config): Promise<readonly LocalServer[]> {
  if (config.TOLLBOOK_LOCAL_SERVERS === 'ignore') return []
  return findLocalServers({ fetch: createSafeFetch({ allowPrivateNetwork: true }) })
}
