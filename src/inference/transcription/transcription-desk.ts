import type { Programs } from '../engine/run-program.ts'
import type { RecordingKind } from '../sound/recording-kind.ts'
import type { Transcriber } from './transcriber.ts'

/** What transcripts are sold with. */
export type TranscriptionDesk = {
  readonly transcriber: Transcriber
  /** What recordings can be decoded here. */
  readonly kinds: readonly RecordingKind[]
  readonly programs: Programs
}
