import { ModelFailed } from '../failure.ts'
import { type ChatChunk, hasContent } from './chat-messages.ts'

type Source = {
  /** Longest wait for the first content, from now. */
  readonly firstTokenMs: number
  /** Ends the work behind the chunks. */
  readonly close: () => void
}

/**
 * Reads chunks up to the first content, and gives them from their beginning.
 * @throws ModelFailed where there is none: they end or take too long; what the chunks throw.
 */
export async function holdFirstContent(
  chunks: AsyncGenerator<ChatChunk>,
  { firstTokenMs, close }: Source,
): Promise<AsyncIterable<ChatChunk>> {
  const head: ChatChunk[] = []
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

async function* joined(
  head: readonly ChatChunk[],
  rest: AsyncGenerator<ChatChunk>,
): AsyncGenerator<ChatChunk> {
  try {
    yield* head
    yield* rest
  } finally {
    // Whoever leaves within the head would otherwise leave the connection open.
    await rest.return(undefined)
  }
}
