import type { LabelledGauge } from '@tollbook/flow/meter'
import { Gauge, type Registry } from 'prom-client'

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
