import * as z from 'zod'
import { TRANSCRIPT_FORMATS } from '../../../../transcription/write-transcript.ts'

const granularities = z
  .array(z.enum(['word', 'segment']))
  .min(1)
  .max(2)
  .optional()

export const transcriptionInput = z.object({
  file: z.file().describe('WAV or mp3, told by its first bytes; at most 12 MB and 5 minutes.'),
  language: z
    .string()
    .regex(/^[a-z]{2,3}$/, 'must be a code of ISO 639-1 such as en')
    .optional()
    .describe('Code of ISO 639-1; default the engine finds out, or knows one.'),
  response_format: z.enum(TRANSCRIPT_FORMATS).default('json'),
  timestamp_granularities: granularities.describe('For verbose_json; default segment.'),
  'timestamp_granularities[]': granularities.describe('The same, as SDKs write it.'),
  prompt: z.string().max(2_000).optional().describe('Words that lead the engine, where it takes any.'),
  temperature: z.number().min(0).max(1).optional().describe('For engines that sample.'),
  model: z.string().max(200).optional().describe('Taken because SDKs send it; the service has one engine.'),
})

export type TranscriptionInput = z.output<typeof transcriptionInput>
