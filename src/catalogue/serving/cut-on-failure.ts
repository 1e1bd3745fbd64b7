import type { HttpBindings } from '@hono/node-server'
import type { Logger } from 'pino'
import { cutAnswer } from './cut-answer.ts'

/**
 * A live body for the HTTP adapter, which would write the words of an error into the answer: when the body fails, the
 * answer is cut instead.
 */
export function cutOnFailure(
  live: ReadableStream<Uint8Array>,
  outgoing: HttpBindings['outgoing'],
  logger: Logger,
): ReadableStream<Uint8Array> {
  const reader = live.getReader()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read()
          if (done) controller.close()
          else controller.enqueue(value)
        } catch (error) {
          // The stream stays open, since its end would end the answer well.
          cutAnswer(outgoing, error, logger)
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    // Nothing is read ahead of the client: what is read counts as given.
    { highWaterMark: 0 },
  )
}
