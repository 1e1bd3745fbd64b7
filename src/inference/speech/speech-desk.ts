import type { VoiceCatalogue } from '../voices/voice-catalogue.ts'
import type { SpeechEngine } from './speech-engine.ts'

/** What speech is sold with. */
export type SpeechDesk = {
  readonly engines: readonly SpeechEngine[]
  /** Names of the operator's, and the ids of the voices that they stand for. */
  readonly names: ReadonlyMap<string, string>
}

/** Whether any voice of the catalogue can be spoken with. */
export function canSpeak({ engines }: SpeechDesk, { providers }: VoiceCatalogue): boolean {
  return providers.some(({ id, voices }) => voices > 0 && engines.some(({ provider }) => provider === id))
}
