import { type Call, defineEndpoint } from '@tollbook/endpoints/endpoint'
import type { Document } from '@tollbook/http/reply/document'
import { toRenderedText } from '@tollbook/http/reply/rendered-text'
import * as z from 'zod'
import type { InferencePorts } from '../../../../ports.ts'
import { findVoices, parseToken, toToken } from '../../../../voices/find-voices.ts'
import { voice } from '../../../../voices/voice.ts'

const input = z.object({
  provider: z.string().min(1).max(64).optional().describe('Only voices of this provider.'),
  language: z.string().min(1).max(64).optional().describe('A language tag; en also matches en-US.'),
  gender: z.enum(['female', 'male', 'neutral']).optional().describe('Only voices of this gender.'),
  hosted: z
    .boolean()
    .optional()
    .describe("Only voices that run on this service's machine (true), or only others (false)."),
  q: z.string().min(1).max(200).optional().describe('Words that occur in the id, name or language.'),
  limit: z.int().min(1).max(500).default(100).describe('Max voices per page.'),
  next_token: z.string().min(1).max(400).optional().describe('next_token of the previous page.'),
})

const output = z.object({
  object: z.literal('list'),
  total: z.int().describe('Number of voices that match the query, on all pages.'),
  providers: z.array(
    z.object({
      id: z.string(),
      voices: z.int(),
      languages: z.int(),
      available: z
        .boolean()
        .describe('Whether the provider is available now; otherwise its voices are from its last list.'),
    }),
  ),
  data: z.array(voice),
  next_token: z.string().nullable().describe('For the next page; null on the last page.'),
})

export const voices = defineEndpoint({
  id: 'audio.voices',
  method: 'GET',
  path: '/v1/audio/voices',
  pricing: { kind: 'free' },
  summary: 'List voices',
  description:
    'Free catalogue of the voices that this installation can speak with, by provider, language and gender, with a search in their names. No payment is needed.',
  input,
  output,
  hasValidators: true,
  example: {
    input: { provider: 'flite', gender: 'female' },
    output: {
      object: 'list',
      total: 1,
      providers: [{ id: 'flite', voices: 5, languages: 2, available: true }],
      data: [
        {
          id: 'flite.slt',
          provider: 'flite',
          name: 'slt',
          language: 'en-US',
          languages: ['en-US'],
          gender: 'female',
          model: null,
          sample_rate: 16_000,
          hosted: true,
          styles: [],
          sample_url: null,
        },
      ],
      next_token: null,
    },
  },
  limits: { bodyBytes: 4096, timeoutMs: 2000 },
  dialect: 'chat',
  check: ({ next_token }) =>
    next_token === undefined || parseToken(next_token) !== null
      ? []
      : [{ parameter: 'next_token', detail: 'is not a token of this endpoint' }],
  handle({ input: args, ports }: Call<z.output<typeof input>, InferencePorts, null>): Document {
    const { limit, next_token, ...query } = args
    const { voices, providers } = ports.voices.current()
    const found = findVoices(voices, query)
    const after = next_token === undefined ? null : parseToken(next_token)
    const rest = after === null ? found : found.filter(({ id }) => id > after)
    const page = rest.slice(0, limit)
    const last = page.at(-1)
    const answer: z.output<typeof output> = {
      object: 'list',
      total: found.length,
      providers: [...providers],
      data: [...page],
      next_token: last && page.length < rest.length ? toToken(last.id) : null,
    }
    return {
      kind: 'document',
      content: toRenderedText(JSON.stringify(answer)),
      contentType: 'application/json; charset=utf-8',
      maxAgeSeconds: 300,
    }
  },
})
