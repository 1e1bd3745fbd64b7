import type { SafeFetch } from '../fetching/safe-fetch.ts'
import type { OpenTiers } from '../models/tiers/open-tiers.ts'
import type { WorkerPool } from '../workers/pool.ts'
import type { SpeechDesk } from './speech/speech-desk.ts'
import type { TranscriptionDesk } from './transcription/transcription-desk.ts'
import type { VoiceCatalogue } from './voices/voice-catalogue.ts'

/** The ports of the inference service's handlers. */
export type InferencePorts = {
  readonly voices: VoiceCatalogue
  readonly speech: SpeechDesk
  /** Null if no transcriber is configured. */
  readonly transcription: TranscriptionDesk | null
  readonly workers: WorkerPool
  /** The tiers that the operator has configured, by name. */
  readonly tiers: OpenTiers
  /** Fetches the images that callers reference. */
  readonly fetch: SafeFetch
}
