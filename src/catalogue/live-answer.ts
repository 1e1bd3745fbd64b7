import type { ServerResponse } from 'node:http'
import type { Logger } from 'pino'

/** What is written while it is read: events, and tables that may be longer than memory. */
const LIVE_TYPES = /^(text\/event-stream|text\/csv|application\/x-ndjson)\b/

/**
 * Guards a live body on its way out: when it fails, the connection is cut, which is the only way to tell the
 * client that an answer already begun is not whole. The HTTP adapter would write the error's words into it.
 */
export function cutOnFailure(response: Response, outgoing: ServerResponse, logger: Logger): Response {
  if (!LIVE_TYPES.test(response.headers.get('content-type') ?? '') || !response.body) return response
  const reader = response.body.getReader()
  const guarded = new ReadableStream<Uint8Array>(
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
  return new Response(guarded, { status: response.status, headers: response.headers })
}
