import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Cuts connections whose client takes nothing of its answer for `stallMs`: each would hold its answer for as long as it
 * likes. A call that has nothing to say yet may be silent for longer.
 * @param isBusy whether a call of the connection has not ended.
 */
export function cutStalled(server: Server, stallMs: number, isBusy: (socket: Socket) => boolean): void {
  server.timeout = stallMs
  server.on('timeout', (socket) => {
    // With a listener, Node leaves it to us to end connections that nobody uses any more.
    if (socket.writableLength > 0 || !isBusy(socket)) socket.destroy()
  })
}
