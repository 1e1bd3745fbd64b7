export type Labels = Readonly<Record<string, string>>

export type Metric = {
  /** As in Prometheus: `tollbook_settlement_seconds`. */
  readonly name: string
  readonly help: string
}

export interface Counter {
  /** @param value at least 0; default 1. A series appears with its first value, also if that is 0. */
  add(labels: Labels, value?: number): void
}

export interface Histogram {
  record(labels: Labels, value: number): void
  /** Begins the series of these labels at 0. */
  zero(labels: Labels): void
}

/** A gauge with one label. */
export type LabelledGauge = Metric & {
  readonly label: string
  /** A figure for each value of the label, read at each collection. If it fails, the last figures remain. */
  readonly read: () => Promise<readonly { readonly value: string; readonly figure: number | bigint }[]>
}

/** Where a package registers its metrics. `createMeter` of `@tollbook/http` makes one of a prom-client registry. */
export interface Meter {
  counter(metric: Metric & { readonly labels: readonly string[] }): Counter
  /** @param metric `bounds` are the upper bounds of the buckets, ascending. */
  histogram(
    metric: Metric & { readonly labels: readonly string[]; readonly bounds: readonly number[] },
  ): Histogram
  gauge(metric: LabelledGauge): void
}
