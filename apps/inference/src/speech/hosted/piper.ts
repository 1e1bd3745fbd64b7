import type { FetchedAnswer } from '@tollbook/safe-fetch/fetched-answer'
import * as z from 'zod'
import { toLanguageTag, type Voice } from '../../voices/voice.ts'
import { type SpeechProvider, toProvider } from './speech-provider.ts'
import {
  askForSound,
  askForVoices,
  isOnThisMachine,
  readSound,
  type SpeechUpstream,
} from './speech-upstream.ts'

const PROVIDER = 'piper'

/** A voice's configuration (https://github.com/OHF-Voice/piper1-gpl, docs/TRAINING.md and src/piper/config.py). */
const configSchema = z.object({
  audio: z.object({ sample_rate: z.int() }),
  espeak: z.object({ voice: z.string() }).optional(),
  language: z.object({ code: z.string() }).optional(),
  inference: z.object({ length_scale: z.number().positive().default(1) }).optional(),
  speaker_id_map: z.record(z.string(), z.int()).default({}),
})
const listSchema = z.record(z.string(), configSchema)

/** What a voice is for the server: a model, one of its speakers, and its default length scale. */
type Known = { readonly model: string; readonly speaker: number | null; readonly lengthScale: number }

/** @param upstream `python3 -m piper.http_server`, such as `http://127.0.0.1:5000` */
export function createPiper(upstream: SpeechUpstream): SpeechProvider {
  let known: ReadonlyMap<string, Known> = new Map()
  /** Newer servers speak under `/synthesize`, those up to 1.3 under `/`. */
  let path = '/synthesize'
  async function ask(body: string, signal: AbortSignal): Promise<FetchedAnswer> {
    let isUnknownPath = false
    const headers = { 'content-type': 'application/json' }
    const findRefusal = ({ status }: FetchedAnswer) => {
      isUnknownPath = status === 404 || status === 405
      return null
    }
    try {
      return await askForSound(PROVIDER, upstream, { path, headers, body, findRefusal }, signal)
    } catch (error) {
      if (!isUnknownPath || path === '/') throw error
      path = '/'
      return await ask(body, signal)
    }
  }
  return toProvider({
    provider: PROVIDER,
    speeds: { min: 0.25, max: 4 },
    async listVoices(signal) {
      const requested = { path: '/voices', schema: listSchema }
      const listed = await askForVoices(PROVIDER, upstream, requested, signal)
      const hosted = isOnThisMachine(upstream)
      const found = Object.entries(listed).flatMap(([model, config]) => toVoices(model, config, hosted))
      known = new Map(found.map(([voice, is]) => [voice.id, is]))
      return found.map(([voice]) => voice)
    },
    async speak({ voice, text, speed }, signal) {
      const is = known.get(voice.id)
      if (!is) throw new Error(`${voice.id} was not listed`)
      const body = JSON.stringify({
        text: text.toWellFormed(),
        voice: is.model,
        ...(is.speaker !== null && { speaker_id: is.speaker }),
        ...(speed !== 1 && { length_scale: is.lengthScale / speed }),
      })
      return readSound(PROVIDER, await ask(body, signal), { kind: 'wav' })
    },
  })
}

function toVoices(
  model: string,
  config: z.output<typeof configSchema>,
  hosted: boolean,
): readonly (readonly [Voice, Known])[] {
  const language = toLanguageTag((config.language?.code ?? config.espeak?.voice ?? 'und').replace('_', '-'))
  const lengthScale = config.inference?.length_scale ?? 1
  const speakers = Object.entries(config.speaker_id_map)
  const all = speakers.length === 0 ? [[null, null] as const] : speakers
  return all.map(([speaker, id]) => [
    {
      id: speaker === null ? `${PROVIDER}.${model}` : `${PROVIDER}.${model}.${speaker}`,
      provider: PROVIDER,
      name: speaker ?? model,
      language,
      languages: [language],
      gender: null,
      model,
      sample_rate: config.audio.sample_rate,
      hosted,
      styles: [],
      sample_url: null,
    },
    { model, speaker: id, lengthScale },
  ])
}
