import { Gauge, type Registry } from 'prom-client'

/** A gauge with one label. */
export type LabelledGauge = {
  readonly name: string
  readonly help: string
  readonly label: string
  /** A figure for each value of the label, read at each scrape. */
  readonly read: () => Promise<readonly { readonly value: string; readonly figure: number | bigint }[]>
}

/** Adds a gauge. When the store does not answer, the readiness check fails; the other metrics are still exported. */
export function addLabelledGauge(registry: Registry, { name, help, label, read }: LabelledGauge): void {
  new Gauge({
    name,
    help,
    labelNames: [label],
    registers: [registry],
    async collect() {
      const figures = await read().catch(() => null)
      if (figures) this.reset()
      for (const { value, figure } of figures ?? []) this.set({ [label]: value }, Number(figure))
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
