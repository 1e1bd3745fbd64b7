import type { SafeFetch } from '../fetching/safe-fetch.ts'
import type { OpenTiers } from '../models/tiers/open-tiers.ts'
import type { WorkerPool } from '../workers/pool.ts'
import type { SpeechDesk } from './speech/speech-desk.ts'
import type { TranscriptionDesk } from './transcription/transcription-desk.ts'
import type { VoiceCatalogue } from './voices/voice-catalogue.ts'

/** What the handlers of the inference service reach the world through. */
export type InferencePorts = {
  readonly voices: VoiceCatalogue
  readonly speech: SpeechDesk
  /** Null where nothing listens. */
  readonly transcription: TranscriptionDesk | null
  readonly workers: WorkerPool
  /** The tiers that the operator has set up, by name. */
  readonly tiers: OpenTiers
  /** The way to images that callers name. */
  readonly fetch: SafeFetch
}
