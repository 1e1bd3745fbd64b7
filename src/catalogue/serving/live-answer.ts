import type { HttpBindings } from '@hono/node-server'
import type { Logger } from 'pino'

type LiveConnection = HttpBindings['outgoing']

/**
 * Guards a live body on its way out: when it fails, the connection is cut, which is the only way to tell the
 * client that an answer already begun is not whole. The HTTP adapter would write the error's words into it.
 */
export function cutOnFailure(
  live: ReadableStream<Uint8Array>,
  outgoing: LiveConnection,
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
          logger.error({ err: error }, 'a live answer was cut')
          // What was written goes out first. The stream stays open, since its end would end the answer well.
          setImmediate(() => outgoing.socket?.destroySoon())
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    // Nothing is read ahead of the client: what is read counts as given.
    { highWaterMark: 0 },
  )
}
