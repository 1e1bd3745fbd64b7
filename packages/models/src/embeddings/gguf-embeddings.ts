import { ModelFailed } from '../failure.ts'
import { createGgufProcess, toFailure } from '../gguf/gguf-process.ts'
import type { GgufEmbeddingAbout, GgufEmbeddingResult, GgufEmbeddingSettings } from '../gguf/orders.ts'
import type { DialectModel } from '../tiers/joined-model.ts'
import type { Embeddings, EmbeddingsRequest } from './embeddings-upstream.ts'

type Options = GgufEmbeddingSettings & {
  readonly maxWaiting: number
  readonly totalMs: number
}

/** An operator's embedding model in a .gguf file, run by llama.cpp in its own process, a call at a time. */
export function createGgufEmbeddings({ maxWaiting, totalMs, ...settings }: Options) {
  const { engine, acquire, explain, isAlive } = createGgufProcess({
    module: new URL('../gguf/embed-engine.ts', import.meta.url),
    settings: settings satisfies GgufEmbeddingSettings,
    max: 1,
    maxWaiting,
    waitMs: totalMs / 2,
  })
  let about: GgufEmbeddingAbout | null = null
  return {
    explain,
    async isAlive() {
      const isLoaded = await isAlive()
      // Sent by the engine module.
      if (isLoaded) about = (await engine.load()) as GgufEmbeddingAbout
      return isLoaded
    },
    findUnserved({ dimensions }) {
      if (!about || dimensions === undefined || dimensions === about.dimensions) return []
      return [{ parameter: 'dimensions', detail: `must be ${about.dimensions} or absent with this model` }]
    },
    async complete({ inputs }, signal) {
      const late = AbortSignal.timeout(totalMs)
      const either = AbortSignal.any([signal, late])
      try {
        const release = await acquire(either)
        // Sent by the engine module.
        const work = engine.run({ inputs }, { signal: either }) as Promise<GgufEmbeddingResult>
        return await work.finally(release)
      } catch (error) {
        signal.throwIfAborted()
        if (late.aborted) throw new ModelFailed('the model timed out', { isLate: true })
        throw toFailure(error)
      }
    },
    stream: () => Promise.reject(new Error('embeddings are not streamed')),
  } satisfies DialectModel<EmbeddingsRequest, Embeddings, never> & {
    isAlive(): Promise<boolean>
    explain(): string | null
  }
}
