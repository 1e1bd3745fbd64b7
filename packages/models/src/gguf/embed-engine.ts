import { Refusal, serveEngine } from '@tollbook/workers/serve-engine'
import { loadGguf } from './load-gguf.ts'
import type {
  GgufEmbeddingAbout,
  GgufEmbeddingOrder,
  GgufEmbeddingResult,
  GgufEmbeddingSettings,
  GgufRefusal,
} from './orders.ts'

/**
 * Maximum context without a setting. llama.cpp processes a text in one batch, whose buffers grow with it.
 * Chosen: the context of usual embedding models, and some hundred MB.
 */
const MAX_CONTEXT = 8192

serveEngine(async (provided) => {
  // Sent by the parent process.
  const { file, contextTokens, threads, gpu } = provided as GgufEmbeddingSettings
  const { model } = await loadGguf({ file, threads, gpu })
  const size = contextTokens ?? Math.min(MAX_CONTEXT, model.trainContextSize)
  const context = await model.createEmbeddingContext({ contextSize: size, batchSize: size, threads })
  const about: GgufEmbeddingAbout = { dimensions: model.embeddingVectorSize }
  return {
    about,
    async run(order, { signal }): Promise<GgufEmbeddingResult> {
      const { inputs } = order as GgufEmbeddingOrder
      const counts = inputs.map((input) => context.calculateInputLength(input))
      const at = counts.findIndex((count) => count >= size)
      if (at >= 0) {
        const reason = `input ${at} has ${counts[at]} tokens, the context of the model ${size}`
        throw new Refusal({ reason, isTooLong: true } satisfies GgufRefusal)
      }
      const vectors: (readonly number[])[] = []
      for (const input of inputs) {
        signal.throwIfAborted()
        vectors.push(normalize((await context.getEmbeddingFor(input)).vector))
      }
      return { vectors, tokens: counts.reduce((sum, count) => sum + count, 0) }
    },
  }
})

/** Of length 1, as hosted models return them, so that a dot product is the cosine. */
function normalize(vector: readonly number[]): readonly number[] {
  const length = Math.hypot(...vector)
  if (!(length > 0)) throw new Error('the model returned a vector without a length')
  return vector.map((value) => value / length)
}
