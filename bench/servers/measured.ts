import type { ServerMessage } from '../server-process.ts'

export type Served = { readonly url: string; close(): Promise<void> }

/**
 * Serves in a child process of the benchmark: reports its address, processor time and memory, and exits with
 * its parent.
 */
export async function serveMeasured<Options>(serve: (options: Options) => Promise<Served>): Promise<void> {
  // Written by `startServer`, whose callers know the options of each script.
  const options = JSON.parse(process.argv[2] ?? '{}') as Options
  const served = await serve(options)
  process.on('message', () => {
    const { user, system } = process.cpuUsage()
    tell({ cpuMicros: user + system, residentBytes: process.memoryUsage.rss() })
  })
  process.once('disconnect', () => {
    void served.close().finally(() => process.exit())
  })
  tell({ url: served.url })
}

function tell(message: ServerMessage): void {
  process.send?.(message)
}
