import * as z from 'zod'
import { ModelFailed } from '../failure.ts'
import { createModelHttp, type ModelHttpOptions } from '../model-http.ts'
import type { DialectModel } from '../tiers/joined-model.ts'

export type EmbeddingsRequest = {
  readonly inputs: readonly string[]
  /** Length of each vector; absent: the model's own. */
  readonly dimensions?: number
}

export type Embeddings = {
  /** One vector for each input, in their order. */
  readonly vectors: readonly (readonly number[])[]
  /** As counted by the upstream; null if it does not count. */
  readonly tokens: number | null
}

/** https://platform.openai.com/docs/api-reference/embeddings/create; some servers omit the index. */
const answer = z.object({
  data: z.array(
    z.object({
      index: z.int().min(0).optional(),
      embedding: z.array(z.number()).min(1),
    }),
  ),
  usage: z.object({ prompt_tokens: z.int().min(0) }).nullish(),
})

export type EmbeddingsUpstreamOptions = Omit<ModelHttpOptions, 'headers' | 'firstTokenMs' | 'idleMs'> & {
  /** The upstream's name for the model. */
  readonly model: string
  readonly key: string | undefined
}

/** Client for any server of `/embeddings`: vLLM, llama.cpp, Ollama, text-embeddings-inference, or a hosted one. */
export function createEmbeddingsUpstream({ model, key, ...options }: EmbeddingsUpstreamOptions) {
  const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` }
  const { totalMs } = options
  const http = createModelHttp({ ...options, headers, firstTokenMs: totalMs, idleMs: totalMs })
  return {
    isAlive: http.isAlive,
    async complete({ inputs, dimensions }, signal) {
      const body = { model, input: inputs, encoding_format: 'float', ...(dimensions && { dimensions }) }
      const read = answer.safeParse(await http.askWhole('/embeddings', body, signal))
      if (!read.success) throw new ModelFailed("the upstream's answer is no list of embeddings")
      const { data, usage } = read.data
      const vectors = data
        .toSorted((one, other) => (one.index ?? 0) - (other.index ?? 0))
        .map(({ embedding }) => embedding)
      if (vectors.length !== inputs.length)
        throw new ModelFailed('the upstream returned another number of vectors')
      return { vectors, tokens: usage?.prompt_tokens || null }
    },
    stream: () => Promise.reject(new Error('embeddings are not streamed')),
  } satisfies DialectModel<EmbeddingsRequest, Embeddings, never> & { isAlive: () => Promise<boolean> }
}
