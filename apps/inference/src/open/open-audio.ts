import { resolve } from 'node:path'
import { ConfigError } from '@tollbook/flow/config-error'
import { findInstalledFile } from '@tollbook/models/files/installed-models'
import { holdModelFile } from '@tollbook/models/files/model-locks'
import type { Config } from '@tollbook/runtime/config'
import { createUpstreamFetch } from '@tollbook/runtime/places/outside'
import { createPrograms, type Programs } from '../engine/run-program.ts'
import type { InferencePorts } from '../ports.ts'
import { createEspeakNg } from '../speech/espeak-ng.ts'
import { createFlite } from '../speech/flite.ts'
import { createHttpTranscriber, TRANSCRIPTION_TIMEOUT_MS } from '../transcription/http.ts'
import { findDecodableKinds } from '../transcription/open-recording.ts'
import type { Transcriber } from '../transcription/transcriber.ts'
import type { TranscriptionDesk } from '../transcription/transcription-desk.ts'
import { openWhisper } from '../transcription/whisper/open-whisper.ts'
import { espeakNg } from '../voices/espeak-ng.ts'
import { flite } from '../voices/flite.ts'
import { openVoiceCatalogue, type VoiceList } from '../voices/voice-catalogue.ts'
import { openSpeechProviders } from './open-speech-providers.ts'

const RECORDINGS_AT_A_TIME = 8
const BOTH = 'TOLLBOOK_WHISPER_FILE: cannot be combined with TOLLBOOK_TRANSCRIPTION_URL, which replaces it'

/**
 * Speech synthesis and transcription. @param onUnavailable called once when a provider returns no voices
 * @throws ConfigError for an unknown voice, or a transcription model that cannot be loaded
 */
export async function openAudio(
  config: Config,
  baseUrl: string,
  onUnavailable: (note: string) => void = () => {},
): Promise<Pick<InferencePorts, 'voices' | 'speech' | 'transcription'>> {
  const programs = createPrograms()
  const hosted = openSpeechProviders(config, baseUrl)
  const voices = await openVoiceCatalogue([espeakNg, flite, ...hosted.map(({ source }) => source)], {
    onUnavailable,
  })
  const names = new Map(config.TOLLBOOK_VOICE_NAMES)
  checkNames(names, voices.current())
  const engines = [createEspeakNg(programs), createFlite(programs), ...hosted.map(({ engine }) => engine)]
  const speech = { engines, names }
  return { voices, speech, transcription: await openTranscription(config, baseUrl, programs) }
}

async function openTranscription(
  config: Config,
  baseUrl: string,
  programs: Programs,
): Promise<TranscriptionDesk | null> {
  const { TOLLBOOK_TRANSCRIPTION_URL: url, TOLLBOOK_WHISPER_FILE: file } = config
  if (url && file) throw new ConfigError([BOTH])
  const transcriber = url ? openUpstream(config, baseUrl, url) : await openModel(config)
  return transcriber && { transcriber, kinds: await findDecodableKinds(), programs }
}

/** The operator's file, else the installed one, else null. @throws ConfigError if it cannot be loaded */
async function openModel(config: Config): Promise<Transcriber | null> {
  const { TOLLBOOK_WHISPER_FILE: own } = config
  const file = own ?? (await findInstalledFile(config, 'transcription'))
  if (!file) return null
  const origin = own ? 'TOLLBOOK_WHISPER_FILE' : 'the model installed by tollbook models'
  holdModelFile(resolve(file))
  return await openWhisperFile(config, file).catch((error: unknown) => {
    throw new ConfigError([`${origin}: ${error instanceof Error ? error.message : error}`])
  })
}

/** Opens a ggml file with the settings for whisper. @throws Error if it cannot be loaded */
export function openWhisperFile(config: Config, file: string): Promise<Transcriber> {
  return openWhisper({
    file: resolve(file),
    threads: config.TOLLBOOK_WHISPER_THREADS,
    variant: config.TOLLBOOK_WHISPER_VARIANT,
  })
}

function openUpstream(config: Config, baseUrl: string, url: string): Transcriber {
  // Its answer begins when the whole recording is transcribed.
  const limits = { perHost: RECORDINGS_AT_A_TIME, headersMs: TRANSCRIPTION_TIMEOUT_MS, idleMs: 30_000 }
  return createHttpTranscriber({
    url,
    key: config.TOLLBOOK_TRANSCRIPTION_KEY,
    model: config.TOLLBOOK_TRANSCRIPTION_MODEL,
    fetch: createUpstreamFetch(config, baseUrl, limits),
  })
}

function checkNames(names: ReadonlyMap<string, string>, { voices, providers }: VoiceList): void {
  const ids = new Set(voices.map(({ id }) => id))
  // The voices of a provider that does not answer now are unknown.
  const isOpen = (id: string) =>
    providers.some((provider) => !provider.available && id.startsWith(`${provider.id}.`))
  const wrong = [...names.values()].filter((id) => !ids.has(id) && !isOpen(id))
  if (wrong.length > 0)
    throw new ConfigError(wrong.map((id) => `TOLLBOOK_VOICE_NAMES: ${id} is not an available voice`))
}
