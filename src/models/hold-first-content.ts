import { ModelFailed } from './failure.ts'

type Source<Chunk> = {
  /** Whether a chunk carries something that the caller asked for. */
  readonly hasContent: (chunk: Chunk) => boolean
  /** Longest wait for the first content, from now. */
  readonly firstTokenMs: number
  /** Ends the work behind the chunks. */
  readonly close: () => void
}

/**
 * Reads chunks up to the first content, and gives them from their beginning.
 * @throws ModelFailed where there is none: they end or take too long; what the chunks throw.
 */
export async function holdFirstContent<Chunk>(
  chunks: AsyncGenerator<Chunk>,
  { hasContent, firstTokenMs, close }: Source<Chunk>,
): Promise<AsyncIterable<Chunk>> {
  const head: Chunk[] = []
  const { promise: isLate, reject } = Promise.withResolvers<never>()
  const giveUp = () => reject(new ModelFailed('the upstream gave no content in time', { isLate: true }))
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

async function* joined<Chunk>(head: readonly Chunk[], rest: AsyncGenerator<Chunk>): AsyncGenerator<Chunk> {
  try {
    yield* head
    yield* rest
  } finally {
    // Whoever leaves within the head would otherwise leave the connection open.
    await rest.return(undefined)
  }
}
