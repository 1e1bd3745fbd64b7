/** A body of examples that others made, and what is measured with it. */
export type Suite = {
  readonly name: string
  readonly summary: string
  run(options: SuiteOptions): Promise<void>
}

export type SuiteOptions = {
  /** Where the suites lie, each in a folder of its own that `quality/README.md` names. */
  readonly folder: string
  /** Whether splits are measured that no rule may be tuned on. */
  readonly isHeldOutWanted: boolean
  /** Only every n-th example, for a first impression; 1 takes all. */
  readonly every: number
}

export type Figure = {
  readonly suite: string
  readonly figure: string
  readonly value: number
  /** How many examples it was taken over. */
  readonly of: number
  /** What others reached by the same count, as the suite says or in the same run. */
  readonly published?: Readonly<Record<string, number>>
}

/** Prints a figure as one JSON line, with four decimals at most. */
export function printFigure(figure: Figure): void {
  process.stdout.write(`${JSON.stringify({ ...figure, value: Number(figure.value.toFixed(4)) })}\n`)
}

/** Shows on stderr how far it is, each tenth. */
export function showProgress(suite: string, done: number, all: number): void {
  const tenth = Math.max(1, Math.floor(all / 10))
  if (done % tenth === 0 || done === all) process.stderr.write(`${suite}: ${done} of ${all}\n`)
}

export function meanOf(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length
}

/** The smallest value at or below which a share of all values lies. */
export function percentileOf(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0
}
