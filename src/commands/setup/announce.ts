import cluster from 'node:cluster'

export type Announced = readonly (readonly [name: string, value: string])[]

/**
 * Prints the addresses of a process to standard output, line by line, and that it is ready. One of several processes
 * that share a port tells the first, which prints them once.
 */
export function announce(rows: Announced): void {
  if (cluster.isWorker) {
    process.send?.({ announced: rows })
    return
  }
  const lines = rows.map(([name, value]) => `${name.padEnd(12)} ${value}`)
  process.stdout.write(`\n${lines.join('\n')}\nready\n`)
}
