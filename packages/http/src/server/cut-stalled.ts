import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Cuts connections whose client reads nothing of its answer for `stallMs`: otherwise each would hold its
 * answer in memory indefinitely. A call that has not answered yet may be silent for longer.
 * @param isBusy whether a call of the connection is still running.
 */
export function cutStalled(server: Server, stallMs: number, isBusy: (socket: Socket) => boolean): void {
  server.timeout = stallMs
  server.on('timeout', (socket) => {
    // With a listener, Node leaves it to us to end idle connections.
    if (socket.writableLength > 0 || !isBusy(socket)) socket.destroy()
  })
}
