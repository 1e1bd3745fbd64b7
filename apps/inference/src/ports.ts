import type { Embedder } from '@tollbook/models/embeddings/open-embedder'
import type { ImagePorts } from '@tollbook/models/images/make-png'
import type { OpenTiers } from '@tollbook/models/tiers/open-tiers'
import type { SafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import type { SpeechDesk } from './speech/speech-desk.ts'
import type { TranscriptionDesk } from './transcription/transcription-desk.ts'
import type { VoiceCatalogue } from './voices/voice-catalogue.ts'

/** The ports of the inference service's handlers. */
export type InferencePorts = ImagePorts & {
  readonly voices: VoiceCatalogue
  readonly speech: SpeechDesk
  /** Null if no transcriber is configured. */
  readonly transcription: TranscriptionDesk | null
  /** The tiers that the operator has configured, by name. */
  readonly tiers: OpenTiers
  /** Null if the operator's file has no embeddings. */
  readonly embedder: Embedder | null
  /** Fetches the images that callers reference. */
  readonly fetch: SafeFetch
}

/** The ports of /v1/messages, on any service that mounts it. */
export type MessagesPorts = {
  /** The tiers that the operator has configured, by name, and `MESSAGES_TIER`. */
  readonly tiers: OpenTiers
  /** Fetches the images and documents that callers reference. */
  readonly fetch: SafeFetch
}
