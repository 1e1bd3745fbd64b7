import { fork } from 'node:child_process'
import { once } from 'node:events'

/** A server under measurement, in its own process. */
export type ServerProcess = {
  readonly url: string
  /** Processor time used by the process so far, all threads, in microseconds. */
  readCpu(): Promise<number>
  /** Resident memory of the process, in bytes. */
  readMemory(): Promise<number>
  close(): Promise<void>
}

/** Messages between parent and child. */
export type ServerMessage =
  | { readonly url: string }
  | { readonly cpuMicros: number; readonly residentBytes: number }

/**
 * Starts a script of `servers/` with its options.
 * @throws Error if the process ends before it serves.
 */
export async function startServer(script: string, options: object): Promise<ServerProcess> {
  const file = new URL(`./servers/${script}.ts`, import.meta.url)
  const child = fork(file, [JSON.stringify(options)], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const exit = once(child, 'exit')
  const receive = async (): Promise<ServerMessage> => {
    const gone = exit.then(() => {
      throw new Error(`the server ${script} ended`)
    })
    const [message] = await Promise.race([once(child, 'message'), gone])
    return message as ServerMessage
  }
  const started = await receive()
  const readUsage = async () => {
    child.send('usage')
    const answer = await receive()
    if ('url' in answer) throw new TypeError(`the server ${script} told its address twice`)
    return answer
  }
  return {
    url: 'url' in started ? started.url : '',
    readCpu: async () => (await readUsage()).cpuMicros,
    readMemory: async () => (await readUsage()).residentBytes,
    async close() {
      if (child.connected) child.disconnect()
      await exit
    },
  }
}

/** Starts servers by script and options, passes them to the callback, and always stops all of them. */
export async function withServers<Name extends string, Result>(
  scripts: Readonly<Record<Name, readonly [script: string, options: object]>>,
  use: (servers: Readonly<Record<Name, ServerProcess>>) => Promise<Result>,
): Promise<Result> {
  const servers: Partial<Record<Name, ServerProcess>> = {}
  try {
    for (const name in scripts) {
      const [script, options] = scripts[name]
      servers[name] = await startServer(script, options)
    }
    // At this point every name in `scripts` has a server.
    return await use(servers as Record<Name, ServerProcess>)
  } finally {
    await Promise.all(Object.values<ServerProcess | undefined>(servers).map((server) => server?.close()))
  }
}
