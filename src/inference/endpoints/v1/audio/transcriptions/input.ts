import * as z from 'zod'
import { TRANSCRIPT_FORMATS } from '../../../../transcription/write-transcript.ts'

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
  prompt: z.string().max(2_000).optional().describe('Text that guides the engine, if it accepts any.'),
  temperature: z.number().min(0).max(1).optional().describe('For engines that sample.'),
  model: z
    .string()
    .max(200)
    .optional()
    .describe('Accepted because SDKs send it; the service has one engine.'),
})

export type TranscriptionInput = z.output<typeof transcriptionInput>
