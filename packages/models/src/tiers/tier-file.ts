import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import * as z from 'zod'

const ms = (standard: number, max: number) => z.int().min(100).max(max).default(standard)

const weight = z.int().min(1).max(1000).default(1).describe('Share of the calls, if the tier is weighted.')
const times = {
  first_token_ms: ms(60_000, 280_000).describe('Timeout for the first content of a stream.'),
  total_ms: ms(240_000, 280_000).describe('Timeout for a whole answer.'),
}

const httpUpstream = z.strictObject({
  base_url: z
    .url({ protocol: /^https?$/ })
    .refine((text) => !URL.parse(text)?.username, 'must not contain a user name or password')
    .transform((text) => text.replace(/\/+$/, ''))
    .describe('Base URL of /chat/completions or /messages, such as http://127.0.0.1:8000/v1.'),
  model: z.string().min(1).max(300).describe("The upstream's own name for the model."),
  key: z
    .string()
    .regex(/^[\x21-\x7e]+$/, 'must be one word of ASCII characters')
    .optional()
    .describe(
      'API key, sent to this upstream only: as a bearer token, or as x-api-key for the dialect messages.',
    ),
  dialect: z
    .enum(['chat', 'messages'])
    .optional()
    .transform((dialect) => dialect ?? 'chat')
    .describe(
      'chat: any chat completions server; the default. messages: any server of /messages; for the tier messages only.',
    ),
  weight,
  max_tokens_field: z
    .enum(['max_tokens', 'max_completion_tokens'])
    .default('max_tokens')
    .describe("The upstream's field name for the token limit of an answer; for the dialect chat."),
  connect_ms: ms(5_000, 60_000).describe('Timeout to connect, and again for TLS.'),
  ...times,
  idle_ms: ms(30_000, 280_000).describe('Timeout between two chunks of an answer.'),
})

const localUpstream = z.strictObject({
  dialect: z.literal('gguf').describe('gguf: a model file that llama.cpp runs on this machine.'),
  file: z.string().min(1).describe('Path of the .gguf file, relative to the folder of this file.'),
  context_tokens: z
    .int()
    .min(256)
    .max(10_000_000)
    .optional()
    .describe(
      'Maximum tokens of a conversation with its answer; default: as the model and the memory allow.',
    ),
  threads: z.int().min(0).max(512).default(0).describe('0: one per core.'),
  sequences: z
    .int()
    .min(1)
    .max(64)
    .default(2)
    .describe('Maximum number of concurrent answers; each takes memory of its own.'),
  queue: z
    .int()
    .min(0)
    .max(1000)
    .default(8)
    .describe('Maximum number of waiting answers; further ones are rejected.'),
  gpu: z
    .union([z.literal('auto'), z.literal(false)])
    .default('auto')
    .describe('false: use only the CPU.'),
  weight,
  ...times,
})

const upstream = z.discriminatedUnion('dialect', [httpUpstream, localUpstream])

const rate = z
  .string()
  .regex(/^\d{1,6}(\.\d{1,6})?$/, 'must be dollars as a string with at most six decimals')
const tokens = z.int().min(1).max(10_000_000)

/** Rates and limits of the metered variant of a tier. */
const upto = z.strictObject({
  rates: z
    .strictObject({
      input: rate,
      cached: rate.describe("Rate for input from the upstream's cache; must not exceed that of input."),
      output: rate.describe('Rate for output, including reasoning.'),
    })
    .optional()
    .describe('Dollars per million tokens. At the caps, a call must not cost more than the listed price.'),
  input_tokens: tokens
    .optional()
    .describe('Maximum tokens of a conversation, bounded by its bytes; default none.'),
  output_tokens: tokens.optional().describe('Maximum tokens of an answer.'),
  image_tokens: tokens.optional().describe('Tokens counted per image before the call.'),
})

const alias = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, 'must be at most 64 lower-case letters, digits, - and _')

const tier = z.strictObject({
  aliases: z
    .array(alias)
    .max(10)
    .default([])
    .describe('Additional names under which the tier is sold, in paths and in the list of models.'),
  strategy: z
    .enum(['fallback', 'weighted'])
    .default('fallback')
    .describe('fallback: in the listed order. weighted: the first by random weight, then the others.'),
  upstreams: z.array(upstream).min(1).max(20),
  limits: z
    .strictObject({
      input_characters: z.int().min(1).optional().describe('Maximum characters of all messages together.'),
      output_tokens: z.int().min(1).optional().describe('Maximum tokens of an answer.'),
    })
    .default({})
    .describe('Limits below those of the price list.'),
  upto: upto.optional().describe('The metered variant, if the tier has one.'),
})

const strategy = z.enum(['fallback', 'weighted']).default('fallback')

const embeddings = z
  .strictObject({
    strategy,
    upstreams: z
      .array(
        z.discriminatedUnion('dialect', [
          httpUpstream
            .pick({ base_url: true, model: true, key: true, weight: true, connect_ms: true, total_ms: true })
            .extend({ dialect: z.literal('embeddings').optional() }),
          localUpstream.omit({ sequences: true, first_token_ms: true }),
        ]),
      )
      .min(1)
      .max(20),
  })
  .describe('The model of /v1/embeddings: servers of /embeddings or GGUF files, whose vectors must be alike.')

const images = z
  .strictObject({
    upstreams: z
      .array(
        httpUpstream.pick({ base_url: true, key: true, connect_ms: true }).extend({
          model: httpUpstream.shape.model.optional(),
          total_ms: ms(110_000, 280_000).describe('Timeout for an image.'),
        }),
      )
      .min(1)
      .max(20),
  })
  .describe('The models of /v1/images/generations: servers of /images/generations, in the order of use.')

/** The operator's models file, which assigns upstreams to tiers. Tiers without an entry are not sold. */
export const tierFile = z.strictObject({
  $schema: z.string().optional(),
  tiers: z.record(z.string().min(1).max(100), tier).default({}),
  embeddings: embeddings.optional(),
  images: images.optional(),
})

export type TierFile = z.output<typeof tierFile>
export type TierSettings = TierFile['tiers'][string]
export type UpstreamSettings = TierSettings['upstreams'][number]
export type LocalSettings = Extract<UpstreamSettings, { readonly dialect: 'gguf' }>
export type HttpSettings = Exclude<UpstreamSettings, LocalSettings>

/**
 * Loads the operator's models file.
 * @param names the existing tiers
 * @throws Error that lists all issues, without repeating a key
 */
export async function loadTierFile(path: string, names: readonly string[]): Promise<TierFile> {
  let value: unknown
  try {
    value = JSON.parse(await readFile(path, 'utf8'))
  } catch (error) {
    // The message of a JSON error quotes the text around it, which may be a key.
    if (error instanceof SyntaxError) throw new Error('is not valid JSON')
    const code = error instanceof Error && 'code' in error ? error.code : 'unknown error'
    throw new Error(`cannot be read (${code})`, { cause: error })
  }
  const read = tierFile.safeParse(value)
  if (!read.success) {
    throw new Error(read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '))
  }
  const unknown = Object.keys(read.data.tiers).filter((name) => !names.includes(name))
  if (unknown.length > 0)
    throw new Error(`tiers: unknown tier ${unknown.join(', ')} (expected one of ${names.join(', ')})`)
  const issues = findAliasIssues(read.data.tiers, names)
  if (issues.length > 0) throw new Error(issues.join('; '))
  return placeFiles(read.data, dirname(path))
}

/** A name may belong to one tier only. */
function findAliasIssues(tiers: TierFile['tiers'], names: readonly string[]): string[] {
  const taken = new Set(names)
  return Object.entries(tiers).flatMap(([name, { aliases }]) =>
    aliases.flatMap((alias) => {
      if (taken.has(alias)) return [`tiers.${name}.aliases: ${alias} is already in use`]
      taken.add(alias)
      return []
    }),
  )
}

/** Resolves the paths of model files relative to the folder of the models file. */
function placeFiles({ tiers, embeddings, ...others }: TierFile, folder: string): TierFile {
  const place = <One extends object>(one: One) =>
    'file' in one && typeof one.file === 'string' ? { ...one, file: resolve(folder, one.file) } : one
  return {
    ...others,
    tiers: Object.fromEntries(
      Object.entries(tiers).map(([name, tier]) => [name, { ...tier, upstreams: tier.upstreams.map(place) }]),
    ),
    ...(embeddings && { embeddings: { ...embeddings, upstreams: embeddings.upstreams.map(place) } }),
  }
}

/** The file format as JSON Schema 2020-12, for editors. */
export function buildTierFileSchema(): Record<string, unknown> {
  return z.toJSONSchema(tierFile, { io: 'input' })
}
