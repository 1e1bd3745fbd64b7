import { type Config, ConfigError } from '../../config.ts'
import { createPrograms, type Programs } from '../../inference/engine/run-program.ts'
import type { InferencePorts } from '../../inference/ports.ts'
import { createEspeakNg } from '../../inference/speech/espeak-ng.ts'
import { createFlite } from '../../inference/speech/flite.ts'
import { findDecodableKinds } from '../../inference/transcription/open-recording.ts'
import { openPocketsphinx } from '../../inference/transcription/pocketsphinx.ts'
import type { TranscriptionDesk } from '../../inference/transcription/transcription-desk.ts'
import { espeakNg } from '../../inference/voices/espeak-ng.ts'
import { flite } from '../../inference/voices/flite.ts'
import { loadVoiceCatalogue, type VoiceCatalogue } from '../../inference/voices/voice-catalogue.ts'

/** An engine that does not list its voices by then is taken for absent. */
const VOICES_TIMEOUT_MS = 10_000

/**
 * What speaks, with what it can speak as, and what listens.
 * @throws ConfigError where a name of the operator's stands for no voice
 */
export async function openAudio(
  config: Config,
): Promise<Pick<InferencePorts, 'voices' | 'speech' | 'transcription'>> {
  const programs = createPrograms()
  const voices = await loadVoiceCatalogue([espeakNg, flite], AbortSignal.timeout(VOICES_TIMEOUT_MS))
  const names = new Map(config.TOLLBOOK_VOICE_NAMES)
  checkNames(names, voices)
  const speech = { engines: [createEspeakNg(programs), createFlite(programs)], names }
  return { voices, speech, transcription: await openTranscription(programs) }
}

async function openTranscription(programs: Programs): Promise<TranscriptionDesk | null> {
  const transcriber = await openPocketsphinx(programs)
  return transcriber && { transcriber, kinds: await findDecodableKinds(), programs }
}

function checkNames(names: ReadonlyMap<string, string>, { voices }: VoiceCatalogue): void {
  const ids = new Set(voices.map(({ id }) => id))
  const wrong = [...names.values()].filter((id) => !ids.has(id))
  if (wrong.length > 0)
    throw new ConfigError(wrong.map((id) => `TOLLBOOK_VOICE_NAMES: ${id} is no voice that is here`))
}
