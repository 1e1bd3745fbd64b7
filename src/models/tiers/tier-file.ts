import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import * as z from 'zod'

const ms = (standard: number, max: number) => z.int().min(100).max(max).default(standard)

const weight = z.int().min(1).max(1000).default(1).describe('Its share, where the tier is weighted.')
const times = {
  first_token_ms: ms(60_000, 280_000).describe('Until the first content of a stream.'),
  total_ms: ms(240_000, 280_000).describe('For a whole answer.'),
}

const httpUpstream = z.strictObject({
  base_url: z
    .url({ protocol: /^https?$/ })
    .refine((text) => !URL.parse(text)?.username, 'must hold no user name and password')
    .transform((text) => text.replace(/\/+$/, ''))
    .describe('Where /chat/completions or /messages stands, such as http://127.0.0.1:8000/v1.'),
  model: z.string().min(1).max(300).describe("The upstream's own name of the model."),
  key: z
    .string()
    .regex(/^[\x21-\x7e]+$/, 'must be one word of ASCII')
    .optional()
    .describe('Sent to this upstream alone: as a bearer token, or as x-api-key in the dialect messages.'),
  dialect: z
    .enum(['chat', 'messages'])
    .optional()
    .transform((dialect) => dialect ?? 'chat')
    .describe('chat: any server of chat completions; the default. messages: any server of /messages.'),
  weight,
  max_tokens_field: z
    .enum(['max_tokens', 'max_completion_tokens'])
    .default('max_tokens')
    .describe('What the upstream calls the bound of an answer; in the dialect chat.'),
  connect_ms: ms(5_000, 60_000).describe('To connect, and again for TLS.'),
  ...times,
  idle_ms: ms(30_000, 280_000).describe('Between two pieces of an answer.'),
})

const localUpstream = z.strictObject({
  dialect: z.literal('gguf').describe('gguf: a file that llama.cpp runs on this machine.'),
  file: z
    .string()
    .min(1)
    .describe('The .gguf file, from the folder of this file where it is no absolute path.'),
  context_tokens: z
    .int()
    .min(256)
    .max(10_000_000)
    .optional()
    .describe('Most tokens of a conversation and its answer; default what the model and the memory allow.'),
  threads: z.int().min(0).max(512).default(0).describe('0: as many as the machine has cores.'),
  sequences: z.int().min(1).max(64).default(2).describe('Answers at a time; each takes memory of its own.'),
  queue: z.int().min(0).max(1000).default(8).describe('Answers that may wait; further ones are refused.'),
  gpu: z
    .union([z.literal('auto'), z.literal(false)])
    .default('auto')
    .describe('false: the processor alone.'),
  weight,
  ...times,
})

const upstream = z.discriminatedUnion('dialect', [httpUpstream, localUpstream])

const rate = z.string().regex(/^\d{1,6}(\.\d{1,6})?$/, 'must be dollars with at most six decimals, as text')
const tokens = z.int().min(1).max(10_000_000)

/** What the metered variant of a tier costs and holds. */
const upto = z.strictObject({
  rates: z
    .strictObject({
      input: rate,
      cached: rate.describe('Of input that the upstream had in its cache; at most that of input.'),
      output: rate.describe('Reasoning counts as output.'),
    })
    .optional()
    .describe('Dollars for a million tokens. The caps may cost at most the listing price.'),
  input_tokens: tokens.optional().describe('Most tokens of a conversation, bounded by its bytes.'),
  output_tokens: tokens.optional().describe('Most tokens of an answer.'),
  image_tokens: tokens.optional().describe('Counted for each image before the call.'),
})

const alias = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, 'must be at most 64 small letters, digits, - and _')

const tier = z.strictObject({
  aliases: z
    .array(alias)
    .max(10)
    .default([])
    .describe(
      'Further names: the tier is sold under each, as under its own, in paths and in the list of models.',
    ),
  strategy: z
    .enum(['fallback', 'weighted'])
    .default('fallback')
    .describe('fallback: in the order given. weighted: the first by chance and weight, then the others.'),
  upstreams: z.array(upstream).min(1).max(20),
  limits: z
    .strictObject({
      input_characters: z.int().min(1).optional().describe('Most characters of all messages together.'),
      output_tokens: z.int().min(1).optional().describe('Most tokens of an answer.'),
    })
    .default({})
    .describe('Narrower than those of the price list.'),
  upto: upto.optional().describe('Of the metered variant, where the tier has one.'),
})

/** The operator's file of models: which upstreams serve which tier. Tiers that it leaves out are not sold. */
export const tierFile = z.strictObject({
  $schema: z.string().optional(),
  tiers: z.record(z.string().min(1).max(100), tier),
})

export type TierFile = z.output<typeof tierFile>
export type TierSettings = TierFile['tiers'][string]
export type UpstreamSettings = TierSettings['upstreams'][number]
export type LocalSettings = Extract<UpstreamSettings, { readonly dialect: 'gguf' }>
export type HttpSettings = Exclude<UpstreamSettings, LocalSettings>

/**
 * Loads the operator's file of models.
 * @param names the tiers that exist
 * @throws Error that names every fault, without repeating a key.
 */
export async function loadTierFile(path: string, names: readonly string[]): Promise<TierFile> {
  let value: unknown
  try {
    value = JSON.parse(await readFile(path, 'utf8'))
  } catch (error) {
    // The words of a JSON error repeat the text around it, which may be a key.
    throw new Error(error instanceof SyntaxError ? 'is not valid JSON' : 'cannot be read')
  }
  const read = tierFile.safeParse(value)
  if (!read.success) {
    throw new Error(read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '))
  }
  const unknown = Object.keys(read.data.tiers).filter((name) => !names.includes(name))
  if (unknown.length > 0) throw new Error(`tiers: ${unknown.join(', ')} is none of ${names.join(', ')}`)
  const faults = findAliasFaults(read.data.tiers, names)
  if (faults.length > 0) throw new Error(faults.join('; '))
  return { ...read.data, tiers: placeFiles(read.data.tiers, dirname(path)) }
}

/** A name may lead to one tier only. */
function findAliasFaults(tiers: TierFile['tiers'], names: readonly string[]): string[] {
  const taken = new Set(names)
  return Object.entries(tiers).flatMap(([name, { aliases }]) =>
    aliases.flatMap((alias) => {
      if (taken.has(alias)) return [`tiers.${name}.aliases: ${alias} is taken`]
      taken.add(alias)
      return []
    }),
  )
}

/** The tiers with the paths of their models counted from the folder of the operator's file. */
function placeFiles(tiers: TierFile['tiers'], folder: string): TierFile['tiers'] {
  const place = (one: UpstreamSettings) =>
    one.dialect === 'gguf' ? { ...one, file: resolve(folder, one.file) } : one
  return Object.fromEntries(
    Object.entries(tiers).map(([name, tier]) => [name, { ...tier, upstreams: tier.upstreams.map(place) }]),
  )
}

/** The form of the file as JSON Schema 2020-12, for editors. */
export function buildTierFileSchema(): Record<string, unknown> {
  return z.toJSONSchema(tierFile, { io: 'input' })
}
