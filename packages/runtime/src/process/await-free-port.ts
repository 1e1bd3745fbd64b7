import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { type Place, portSetting } from '../places/addresses.ts'

/** The processes of a killed Tollbook end within this time. */
const MAX_WAIT_MS = 5_000
const POLL_MS = 100

/** Waits for the port of a service. @throws Error with the setting of a port that stays in use. */
export async function awaitFreePort(name: string, { host, port }: Place): Promise<void> {
  const deadline = performance.now() + MAX_WAIT_MS
  for (;;) {
    const error = await tryPort(host, port)
    if (error === null) return
    if (error.code !== 'EADDRINUSE') throw error
    if (performance.now() > deadline)
      throw new Error(
        `port ${port} is in use: stop the process that uses it, or set another ${portSetting(name)}`,
      )
    await wait(POLL_MS)
  }
}

async function tryPort(host: string, port: number): Promise<NodeJS.ErrnoException | null> {
  const server = createServer()
  try {
    server.listen(port, host)
    await once(server, 'listening')
    return null
  } catch (error) {
    return error as NodeJS.ErrnoException
  } finally {
    server.close()
  }
}
