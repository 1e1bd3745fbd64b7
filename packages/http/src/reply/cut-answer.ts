import type { Logger } from '@tollbook/flow/logger'
import type { NodeConnection } from '../request/node-connection.ts'

/**
 * Cuts the connection of an answer that failed. Once an answer has begun, this is the only way to show the
 * client that it is incomplete.
 */
export function cutAnswer(outgoing: NodeConnection['outgoing'], error: unknown, logger: Logger): void {
  logger.error(
    { err: error },
    outgoing.headersSent ? 'a streamed answer was cut' : 'an answer could not be written',
  )
  // Flushes what was written.
  setImmediate(() => outgoing.socket?.destroySoon())
}
