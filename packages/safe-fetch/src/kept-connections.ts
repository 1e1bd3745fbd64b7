import type { Connection } from './dial.ts'

/** Idle open connections, to be used again for the same origin. */
export type KeptConnections = {
  /** An open connection, if there is one. */
  take(origin: string): Connection | undefined
  /** Stores a connection whose last answer was read to its end. */
  give(origin: string, connection: Connection): void
}

/** Chosen: below the 5 s after which Node and uvicorn close an idle connection. */
const IDLE_MS = 4_000
/** Of one origin. */
const MAX_IDLE = 256

type Idle = { readonly connection: Connection; readonly end: () => void }

/** Pools connections to servers of the operator's choice; the last one used is used next, so that few stay open. */
export function createKeptConnections(): KeptConnections {
  const idle = new Map<string, Idle[]>()

  function drop(origin: string, connection: Connection): void {
    const left = (idle.get(origin) ?? []).filter((one) => one.connection !== connection)
    if (left.length > 0) idle.set(origin, left)
    else idle.delete(origin)
    connection.socket.destroy()
  }

  return {
    take(origin) {
      const line = idle.get(origin)
      for (let one = line?.pop(); one; one = line?.pop()) {
        const { connection, end } = one
        const { socket } = connection
        socket.setTimeout(0, end).off('close', end).off('data', end).ref()
        if (socket.readable && socket.writable) return connection
        socket.destroy()
      }
      return undefined
    },
    give(origin, connection) {
      const { socket } = connection
      const line = idle.get(origin) ?? []
      if (socket.destroyed || line.length >= MAX_IDLE) {
        socket.destroy()
        return
      }
      const end = () => drop(origin, connection)
      idle.set(origin, line)
      line.push({ connection, end })
      // Unrequested bytes would be mistaken for the next answer.
      socket.setTimeout(IDLE_MS, end).once('close', end).once('data', end).unref()
    },
  }
}
