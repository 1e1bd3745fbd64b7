import type { Logger } from '@tollbook/flow/logger'
import type { NodeConnection } from '../request/node-connection.ts'
import { cutAnswer } from './cut-answer.ts'

/**
 * A stream body for the HTTP adapter, which would write an error's message into the answer: when the body
 * fails, the answer is cut instead.
 */
export function cutOnFailure(
  live: ReadableStream<Uint8Array>,
  outgoing: NodeConnection['outgoing'],
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
          // The stream stays open, because closing it would end the answer normally.
          cutAnswer(outgoing, error, logger)
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    // Nothing is read ahead of the client: what is read counts as delivered.
    { highWaterMark: 0 },
  )
}
