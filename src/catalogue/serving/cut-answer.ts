import type { HttpBindings } from '@hono/node-server'
import type { Logger } from 'pino'

/**
 * Cuts the connection of an answer that failed, which is the only way to tell the client that an answer already begun
 * is not whole.
 */
export function cutAnswer(outgoing: HttpBindings['outgoing'], error: unknown, logger: Logger): void {
  logger.error({ err: error }, outgoing.headersSent ? 'a live answer was cut' : 'an answer was not written')
  // What was written goes out first.
  setImmediate(() => outgoing.socket?.destroySoon())
}
