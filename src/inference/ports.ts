import type { VoiceCatalogue } from './voices/voice-catalogue.ts'

/** What the handlers of the inference service reach the world through. */
export type InferencePorts = {
  readonly voices: VoiceCatalogue
}
