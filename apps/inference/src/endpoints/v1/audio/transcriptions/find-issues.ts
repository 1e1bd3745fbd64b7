import type { Issue } from '@tollbook/http/problem'
import type { UploadedFile } from '@tollbook/http/request/uploaded-file'
import * as z from 'zod'
import type { InferencePorts } from '../../../../ports.ts'
import { recordingKindOf } from '../../../../sound/recording-kind.ts'
import type { TranscriptionDesk } from '../../../../transcription/transcription-desk.ts'
import { TRANSCRIPT_FORMATS } from '../../../../transcription/write-transcript.ts'

/** Specification 4.5, audio rule 1. */
export const MAX_FILE_BYTES = 12 * 1024 * 1024

const granularities = z
  .array(z.enum(['word', 'segment']))
  .min(1)
  .max(2)
  .optional()

export const transcriptionInput = z.object({
  file: z.file().describe('WAV or mp3, detected by its first bytes; at most 12 MB and 5 minutes.'),
  language: z
    .string()
    .regex(/^[a-z]{2,3}$/, 'must be an ISO 639-1 code such as en')
    .optional()
    .describe('ISO 639-1 code; by default the engine detects the language, or supports only one.'),
  response_format: z.enum(TRANSCRIPT_FORMATS).default('json'),
  timestamp_granularities: granularities.describe('For verbose_json; default segment.'),
  'timestamp_granularities[]': granularities.describe('The same, in the notation of SDKs.'),
  prompt: z.string().max(2_000).optional().describe('Text that guides the engine.'),
  temperature: z.number().min(0).max(1).optional().describe('0 to 1.'),
  model: z
    .string()
    .max(200)
    .optional()
    .describe('Accepted because SDKs send it; the service has one engine.'),
})

export type TranscriptionInput = z.output<typeof transcriptionInput>

/** Why a well-formed call cannot be served: because of its file, or because of the engine of this installation. */
export function findIssues(
  provided: TranscriptionInput,
  { transcription }: InferencePorts,
  files: ReadonlyMap<string, UploadedFile>,
): readonly Issue[] {
  const file = files.get('file')
  return [
    ...(file && transcription ? findFileIssues(file.bytes, transcription) : []),
    ...(transcription ? findEngineIssues(provided, transcription) : []),
    ...findTimestampIssues(provided),
  ]
}

function findFileIssues(bytes: Uint8Array, { kinds }: TranscriptionDesk): readonly Issue[] {
  if (bytes.length > MAX_FILE_BYTES)
    return [{ parameter: 'file', detail: `must have at most ${MAX_FILE_BYTES} bytes`, code: 'too_large' }]
  const kind = recordingKindOf(bytes)
  if (kind !== null && kinds.includes(kind)) return []
  const detail =
    kind === null ? 'is neither WAV nor mp3' : `is an ${kind}, which cannot be decoded here: send WAV`
  return [{ parameter: 'file', detail, code: 'unsupported_media_type' }]
}

function findEngineIssues(
  { language }: TranscriptionInput,
  { transcriber: { languages } }: TranscriptionDesk,
): readonly Issue[] {
  if (language === undefined || !languages || languages.includes(language)) return []
  const detail = `must be one of ${languages.join(', ')} here`
  return [{ parameter: 'language', detail, code: 'cannot_be_served' }]
}

function findTimestampIssues(provided: TranscriptionInput): readonly Issue[] {
  const names = ['timestamp_granularities', 'timestamp_granularities[]'] as const
  return names
    .filter((name) => provided[name] !== undefined && provided.response_format !== 'verbose_json')
    .map((parameter) => ({ parameter, detail: 'requires response_format verbose_json' }))
}
