import type { Meter } from '@tollbook/flow/meter'
import { Counter, Histogram, type Registry } from 'prom-client'
import { addLabelledGauge } from './gauges.ts'

/** The metrics of a package in the registry behind `/metrics`. */
export function createMeter(registry: Registry): Meter {
  const registers = [registry]
  return {
    counter({ name, help, labels }) {
      const counter = new Counter({ name, help, labelNames: labels, registers })
      return { add: (series, value) => counter.inc(series, value) }
    },
    histogram({ name, help, labels, bounds }) {
      const histogram = new Histogram({
        name,
        help,
        labelNames: labels,
        buckets: bounds.slice(),
        registers,
      })
      return {
        record: (series, value) => histogram.observe(series, value),
        zero: (series) => histogram.zero(series),
      }
    },
    gauge: (gauge) => addLabelledGauge(registry, gauge),
  }
}
