import { fork } from 'node:child_process'
import { once } from 'node:events'

/** A server under measurement, in a process of its own. */
export type ServerProcess = {
  readonly url: string
  /** Processor time that the process has used so far, all its threads, in microseconds. */
  readCpu(): Promise<number>
  /** Memory of the process that is resident now, in bytes. */
  readMemory(): Promise<number>
  close(): Promise<void>
}

/** What parent and child say to each other. */
export type ServerMessage =
  | { readonly url: string }
  | { readonly cpuMicros: number; readonly residentBytes: number }

/**
 * Starts a script of `servers/` with its options.
 * @throws Error when the process ends before it serves.
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

/** Starts servers by script and options, hands them on, and ends all of them whatever happens. */
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
    // Every name of `scripts` has its server now.
    return await use(servers as Record<Name, ServerProcess>)
  } finally {
    await Promise.all(Object.values<ServerProcess | undefined>(servers).map((server) => server?.close()))
  }
}
