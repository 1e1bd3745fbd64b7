import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/** Below the ports that systems give to connections (from 32,768 on Linux), so that none takes it meanwhile. */
const [FIRST, END] = [10_240, 32_768] as const
const TRIES = 20

/** A free TCP port of a host. Another process may take it before the caller does, which then fails with a message. */
export async function findFreePort(host: string): Promise<number> {
  for (let left = TRIES; left > 0; left--) {
    const port = randomInt(FIRST, END)
    if ((await listenOnce(host, port).catch(() => null)) !== null) return port
  }
  return listenOnce(host, 0)
}

/** @returns the port. @throws Error if it is taken. */
function listenOnce(host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(port, host, () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}
