import { Gauge, type Registry } from 'prom-client'

/** A gauge with one label. */
export type CountGauge = {
  readonly name: string
  readonly help: string
  readonly label: string
  /** Values by that of the label, read at each scrape. */
  readonly read: () => Promise<readonly { readonly value: string; readonly count: number | bigint }[]>
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

/** The same for a gauge without labels; undefined leaves it as it was. */
export function addGauge(
  registry: Registry,
  name: string,
  help: string,
  read: () => Promise<number | undefined>,
): void {
  new Gauge({
    name,
    help,
    registers: [registry],
    async collect() {
      const value = await read().catch(() => undefined)
      if (value !== undefined) this.set(value)
    },
  })
}
