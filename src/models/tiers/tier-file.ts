import { readFile } from 'node:fs/promises'
import * as z from 'zod'

const ms = (standard: number, most: number) => z.int().min(100).max(most).default(standard)

const upstream = z.strictObject({
  base_url: z
    .url({ protocol: /^https?$/ })
    .refine((text) => !URL.parse(text)?.username, 'must hold no user name and password')
    .transform((text) => text.replace(/\/+$/, ''))
    .describe('Where /chat/completions stands, such as http://127.0.0.1:8000/v1.'),
  model: z.string().min(1).max(300).describe("The upstream's own name of the model."),
  key: z
    .string()
    .regex(/^[\x21-\x7e]+$/, 'must be one word of ASCII')
    .optional()
    .describe('Sent as a bearer token to this upstream alone.'),
  dialect: z.enum(['chat']).default('chat').describe('chat: any server of chat completions.'),
  weight: z.int().min(1).max(1000).default(1).describe('Its share, where the tier is weighted.'),
  max_tokens_field: z
    .enum(['max_tokens', 'max_completion_tokens'])
    .default('max_tokens')
    .describe('What the upstream calls the bound of an answer.'),
  connect_ms: ms(5_000, 60_000).describe('To connect, and again for TLS.'),
  first_token_ms: ms(60_000, 280_000).describe('Until the first content of a stream.'),
  idle_ms: ms(30_000, 280_000).describe('Between two pieces of an answer.'),
  total_ms: ms(240_000, 280_000).describe('For a whole answer.'),
})

const tier = z.strictObject({
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
})

/** The operator's file of models: which upstreams serve which tier. Tiers that it leaves out are not sold. */
export const tierFile = z.strictObject({
  $schema: z.string().optional(),
  tiers: z.record(z.string().min(1).max(100), tier),
})

export type TierFile = z.output<typeof tierFile>
export type TierSettings = TierFile['tiers'][string]
export type UpstreamSettings = TierSettings['upstreams'][number]

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
  return read.data
}

/** The form of the file as JSON Schema 2020-12, for editors. */
export function buildTierFileSchema(): Record<string, unknown> {
  return z.toJSONSchema(tierFile, { io: 'input' })
}
