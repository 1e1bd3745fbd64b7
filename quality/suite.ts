/** A body of examples that others made, and what is measured with it. */
export type Suite = {
  readonly name: string
  readonly summary: string
  /** Whether nothing may be chosen by what it shows; it runs only when it is asked for. */
  readonly isHeldOut?: boolean
  /** Whether it reads a suite of `--suites`; default true. */
  readonly needsFolder?: boolean
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

/** Shows on stderr how far it is: a bar on a terminal, elsewhere a line each tenth. */
export function showProgress(name: string, done: number, all: number): void {
  const { stderr } = process
  const tenth = Math.max(1, Math.floor(all / 10))
  if (stderr.isTTY) {
    const full = Math.floor((BAR_CHARS * done) / Math.max(1, all))
    const bar = `${'#'.repeat(full)}${'.'.repeat(BAR_CHARS - full)}`
    stderr.write(`\r${name} [${bar}] ${done} of ${all}${done === all ? '\n' : ''}`)
  } else if (done % tenth === 0 || done === all) stderr.write(`${name}: ${done} of ${all}\n`)
}

const BAR_CHARS = 40

export function meanOf(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length
}

/** The smallest value at or below which a share of all values lies. */
export function percentileOf(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0
}
