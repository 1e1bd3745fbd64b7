import cluster from 'node:cluster'

export type Announced = readonly (readonly [name: string, value: string])[]

/** Prints addresses, and that the process is ready; of processes that share a port, only the first does. */
export function announce(rows: Announced): void {
  if (cluster.isWorker) {
    process.send?.({ announced: rows })
    return
  }
  const lines = rows.map(([name, value]) => `${name.padEnd(12)} ${value}`)
  process.stdout.write(`\n${lines.join('\n')}\nready\n`)
}
