import type { Programs } from '../engine/run-program.ts'
import type { RecordingKind } from '../sound/recording-kind.ts'
import type { Transcriber } from './transcriber.ts'

/** The dependencies of transcription. */
export type TranscriptionDesk = {
  readonly transcriber: Transcriber
  /** The formats that can be decoded. */
  readonly kinds: readonly RecordingKind[]
  readonly programs: Programs
}
