import { connect, createServer, type Socket } from 'node:net'

/** One address whose connections lead to a server that may change. */
export type Relay = {
  readonly port: number
  /** Where new connections lead; the open ones end. */
  aim(host: string): void
  close(): void
}

/** A relay of TCP to a port of one host at a time, as in front of a database that fails over. */
export async function startRelay(port: number, host: string): Promise<Relay> {
  let target = host
  const open = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(port, target)
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(one)
      one.setNoDelay(true)
      one.on('error', () => {})
      one.once('close', () => {
        open.delete(one)
        other.destroy()
      })
      one.pipe(other)
    }
  })
  const drop = () => {
    for (const socket of open) socket.destroy()
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    aim(next) {
      target = next
      drop()
    },
    close() {
      server.close()
      drop()
    },
  }
}
