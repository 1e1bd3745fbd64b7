import { json } from '@tollbook/endpoints/answer'
import { type Address, type Availability, type Call, defineEndpoint } from '@tollbook/endpoints/endpoint'
import type { Issue } from '@tollbook/http/problem'
import type { EmbeddingsRequest } from '@tollbook/models/embeddings/embeddings-upstream'
import * as z from 'zod'
import { toModelProblem } from '../../../chat/explain-failure.ts'
import type { InferencePorts } from '../../../ports.ts'

/** Chosen, like the price: about a book chapter. */
const MAX_CHARACTERS = 100_000
const MAX_INPUTS = 256
/** Above the max timeout of an upstream, so that the upstream's own failure is reported. */
const TIMEOUT_MS = 290_000
/** The model name in answers. */
const NAME = 'embeddings'

const text = z.string().min(1)
const input = z.object({
  model: z.string().max(200).nullish().describe('Any value; the operator chooses the model.'),
  input: z
    .union([text, z.array(text).min(1).max(MAX_INPUTS)])
    .describe(`One text or up to ${MAX_INPUTS}, together at most 100,000 characters.`),
  dimensions: z
    .int()
    .min(1)
    .max(16_384)
    .nullish()
    .describe('Length of each vector, if the model can choose.'),
  encoding_format: z.enum(['float', 'base64']).nullish().describe('base64: little-endian 32-bit floats.'),
  user: z.string().max(512).nullish(),
})

type Input = z.output<typeof input>

export const embeddings = defineEndpoint({
  id: 'embeddings',
  method: 'POST',
  effect: 'none',
  path: '/v1/embeddings',
  pricing: { kind: 'exact', priceUsd: '0.001' },
  summary: 'Embeddings of texts',
  description:
    'A vector for each text, in the form of the embeddings API: up to 256 texts, together at most 100,000 characters.',
  input,
  output: z.object({
    object: z.literal('list'),
    model: z.string(),
    data: z.array(
      z.object({
        object: z.literal('embedding'),
        index: z.int(),
        embedding: z.union([z.array(z.number()), z.string()]),
      }),
    ),
    usage: z.object({ prompt_tokens: z.int(), total_tokens: z.int() }),
  }),
  example: {
    input: { input: 'Say hello.' },
    output: {
      object: 'list',
      model: NAME,
      data: [{ object: 'embedding', index: 0, embedding: [0.0123, -0.0456, 0.0789] }],
      usage: { prompt_tokens: 3, total_tokens: 3 },
    },
  },
  limits: { bodyBytes: 1024 * 1024, timeoutMs: TIMEOUT_MS },
  dialect: 'chat',
  check: findIssues,
  availability: ({ embedder }) => availabilityOf(embedder),
  async handle({ input, ports: { embedder }, signal }: Call<Input, InferencePorts, Address>) {
    if (!embedder) throw new Error('unreachable: availability and validation are checked before the call')
    const { encoding_format: format } = input
    const request = toRequest(input)
    try {
      const { vectors, tokens } = await embedder.embed(request, signal)
      const counted = tokens ?? embedder.countTokens(request.inputs.join('\n'))
      const data = vectors.map((vector, index) => {
        const embedding = format === 'base64' ? toBase64(vector) : [...vector]
        return { object: 'embedding' as const, index, embedding }
      })
      const usage = { prompt_tokens: counted, total_tokens: counted }
      return json({ object: 'list' as const, model: NAME, data, usage })
    } catch (error) {
      throw toModelProblem(error)
    }
  },
})

function findIssues(given: Input, { embedder }: InferencePorts): readonly Issue[] {
  const length = textsOf(given).reduce((sum, one) => sum + one.length, 0)
  if (length <= MAX_CHARACTERS) return embedder?.findUnserved(toRequest(given)) ?? []
  return [
    { parameter: 'input', detail: `must have at most ${MAX_CHARACTERS} characters in total, not ${length}` },
  ]
}

const textsOf = ({ input: given }: Input) => (typeof given === 'string' ? [given] : given)

function toRequest(given: Input): EmbeddingsRequest {
  const { dimensions } = given
  return { inputs: textsOf(given), ...(dimensions && { dimensions }) }
}

function availabilityOf(embedder: InferencePorts['embedder']): Availability {
  if (!embedder) {
    const detail = "No model is configured: the operator's file (TOLLBOOK_MODELS_FILE) has no embeddings."
    return { isAvailable: false, problem: { code: 'not_configured', detail } }
  }
  if (embedder.isReady()) return { isAvailable: true }
  const detail = 'No upstream of this model is answering at the moment.'
  const retryAfterSeconds = embedder.pauseSeconds()
  return { isAvailable: false, problem: { code: 'unavailable', detail, retryAfterSeconds } }
}

function toBase64(vector: readonly number[]): string {
  const bytes = Buffer.alloc(vector.length * 4)
  for (const [at, value] of vector.entries()) bytes.writeFloatLE(value, at * 4)
  return bytes.toString('base64')
}
