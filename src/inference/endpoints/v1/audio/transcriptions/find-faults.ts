import type { UploadedFile } from '../../../../../catalogue/endpoint.ts'
import type { Fault } from '../../../../../http/problem.ts'
import type { InferencePorts } from '../../../../ports.ts'
import { recordingKindOf } from '../../../../sound/recording-kind.ts'
import type { TranscriptionDesk } from '../../../../transcription/transcription-desk.ts'
import type { TranscriptionInput } from './input.ts'

/** Specification 4.5, audio rule 1. */
export const MAX_FILE_BYTES = 12 * 1024 * 1024

/**
 * Why a well-formed call cannot be served: because of its file, or because of the engine of this
 * installation.
 */
export function findFaults(
  given: TranscriptionInput,
  { transcription }: InferencePorts,
  files: ReadonlyMap<string, UploadedFile>,
): readonly Fault[] {
  const file = files.get('file')
  return [
    ...(file && transcription ? findFileFaults(file.bytes, transcription) : []),
    ...(transcription ? findEngineFaults(given, transcription) : []),
    ...findTimestampFaults(given),
  ]
}

function findFileFaults(bytes: Uint8Array, { kinds }: TranscriptionDesk): readonly Fault[] {
  if (bytes.length > MAX_FILE_BYTES)
    return [{ parameter: 'file', detail: `must have at most ${MAX_FILE_BYTES} bytes`, code: 'too_large' }]
  const kind = recordingKindOf(bytes)
  if (kind !== null && kinds.includes(kind)) return []
  const detail =
    kind === null ? 'is neither WAV nor mp3' : `is an ${kind}, which cannot be decoded here: send WAV`
  return [{ parameter: 'file', detail, code: 'unsupported_media_type' }]
}

function findEngineFaults(
  { language, prompt, temperature }: TranscriptionInput,
  { transcriber: { languages, takesHints } }: TranscriptionDesk,
): readonly Fault[] {
  const isKnown = language === undefined || !languages || languages.includes(language)
  const detail = 'is not supported by the engine of this service'
  return [
    ...(isKnown
      ? []
      : [
          {
            parameter: 'language',
            detail: `must be one of ${languages?.join(', ')} here`,
            code: 'cannot_be_served' as const,
          },
        ]),
    ...(prompt !== undefined && !takesHints ? [{ parameter: 'prompt', detail }] : []),
    ...(temperature !== undefined && !takesHints ? [{ parameter: 'temperature', detail }] : []),
  ]
}

function findTimestampFaults(given: TranscriptionInput): readonly Fault[] {
  const names = ['timestamp_granularities', 'timestamp_granularities[]'] as const
  return names
    .filter((name) => given[name] !== undefined && given.response_format !== 'verbose_json')
    .map((parameter) => ({ parameter, detail: 'requires response_format verbose_json' }))
}
