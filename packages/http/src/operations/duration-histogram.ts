import type { Histogram, Registry } from 'prom-client'

type Labels = Readonly<Record<string, string>>

type Options = {
  readonly name: string
  readonly help: string
  /** Upper bounds of the buckets in seconds, ascending. */
  readonly bounds: readonly number[]
}

/** Durations under one set of labels. */
export type DurationSeries = {
  readonly labels: Labels
  /** Count of all durations. */
  readonly count: number
  add(seconds: number): void
}

/**
 * A Prometheus histogram whose labels are fixed once per series: prom-client checks and joins the labels on
 * each value, which costs more than counting it.
 */
export function createDurationHistogram({ name, help, bounds }: Options, registry: Registry) {
  const known: Series[] = []
  const metric = {
    name,
    help,
    type: 'histogram',
    get: async () => ({ name, help, type: 'histogram', values: known.flatMap(toValues), aggregator: 'sum' }),
    reset: () => {
      for (const series of known) series.clear()
    },
  }
  function toValues({ labels, counts, sum, count }: Series) {
    let below = 0
    const buckets = bounds.map((le, at) => {
      below += counts[at] ?? 0
      return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: below }
    })
    return [
      ...buckets,
      { metricName: `${name}_bucket`, labels: { le: '+Inf', ...labels }, value: count },
      { metricName: `${name}_sum`, labels, value: sum },
      { metricName: `${name}_count`, labels, value: count },
    ]
  }
  // A registry reads the name, the type and these two from its metrics.
  registry.registerMetric(metric as unknown as Histogram)
  return {
    addSeries(labels: Labels): DurationSeries {
      const series = new Series(labels, bounds)
      known.push(series)
      return series
    },
  }
}

class Series implements DurationSeries {
  readonly labels: Labels
  readonly counts: number[]
  sum = 0
  count = 0
  readonly #bounds: readonly number[]

  constructor(labels: Labels, bounds: readonly number[]) {
    this.labels = labels
    this.#bounds = bounds
    this.counts = bounds.map(() => 0)
  }

  add(seconds: number): void {
    this.count += 1
    this.sum += seconds
    const at = this.#bounds.findIndex((bound) => seconds <= bound)
    if (at >= 0) this.counts[at] = (this.counts[at] ?? 0) + 1
  }

  clear(): void {
    this.sum = 0
    this.count = 0
    this.counts.fill(0)
  }
}
