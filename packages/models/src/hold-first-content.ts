import { ModelFailed } from './failure.ts'

/** What limits and stops the reading of a model's stream. */
export type ChunkSource = {
  readonly signal: AbortSignal
  /** Timeout for the first content, from now. */
  readonly firstTokenMs: number
  /** Stops the source of the chunks. */
  readonly close: () => void
}

type Source<Chunk> = Omit<ChunkSource, 'signal'> & {
  /** Whether a chunk has content that the caller requested. */
  readonly hasContent: (chunk: Chunk) => boolean
}

/**
 * Reads chunks up to the first content, then returns all of them.
 * @throws ModelFailed if there is no content: the chunks end or time out; errors of the chunks
 */
export async function holdFirstContent<Chunk>(
  chunks: AsyncGenerator<Chunk>,
  { hasContent, firstTokenMs, close }: Source<Chunk>,
): Promise<AsyncIterable<Chunk>> {
  const head: Chunk[] = []
  const { promise: isLate, reject } = Promise.withResolvers<never>()
  const giveUp = () =>
    reject(new ModelFailed('the upstream timed out before the first content', { isLate: true }))
  const timer = setTimeout(giveUp, firstTokenMs)
  try {
    for (;;) {
      const next = await Promise.race([chunks.next(), isLate])
      if (next.done) throw new ModelFailed('the stream ended before any content')
      head.push(next.value)
      if (hasContent(next.value)) return joined(head, chunks)
    }
  } catch (error) {
    close()
    throw error
  } finally {
    clearTimeout(timer)
  }
}

/** Not a generator, which would add turns to each chunk. */
function joined<Chunk>(head: readonly Chunk[], rest: AsyncGenerator<Chunk>): AsyncIterable<Chunk> {
  const first = head.values()
  const iterator: AsyncIterator<Chunk> = {
    next() {
      const { done, value } = first.next()
      return done ? rest.next() : Promise.resolve({ done: false, value })
    },
    return: () => rest.return(undefined),
  }
  return { [Symbol.asyncIterator]: () => iterator }
}
