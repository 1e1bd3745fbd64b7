import { Gauge, type Registry } from 'prom-client'

/** A gauge of rows in the state by one label. */
export type CountGauge = {
  readonly name: string
  readonly help: string
  readonly label: string
  /** Counts by value of the label, read at each scrape. */
  readonly read: () => Promise<readonly { readonly value: string; readonly count: number }[]>
}

/** Adds a gauge. When the store does not answer, the readiness check fails; the other metrics are still exported. */
export function addCountGauge(registry: Registry, { name, help, label, read }: CountGauge): void {
  new Gauge({
    name,
    help,
    labelNames: [label],
    registers: [registry],
    async collect() {
      const counts = await read().catch(() => null)
      if (counts) this.reset()
      for (const { value, count } of counts ?? []) this.set({ [label]: value }, Number(count))
    },
  })
}
