import { createRequire } from 'node:module'
import { resolve } from 'node:path'

/** An outside body of examples, and what is measured with it. */
export type Suite = {
  readonly name: string
  readonly summary: string
  /** Whether its results must not influence any choice; it runs only on request. */
  readonly isHeldOut?: boolean
  /** Whether it reads a suite of `--suites`; default true. */
  readonly needsFolder?: boolean
  run(options: SuiteOptions): Promise<void>
}

export type SuiteOptions = {
  /** Folder that contains the suites, each in a subfolder named in `quality/README.md`. */
  readonly folder: string
  /** Whether to measure splits that no rule may be tuned on. */
  readonly isHeldOutWanted: boolean
  /** Use only every n-th example, for a first impression; 1 uses all. */
  readonly every: number
}

export type Figure = {
  readonly suite: string
  readonly figure: string
  readonly value: number
  /** Number of examples measured. */
  readonly of: number
  /** Results of others by the same count, published by the suite or measured in the same run. */
  readonly published?: Readonly<Record<string, number>>
}

/** A package next to the suites. @throws if it is not installed there */
export function loadPackage<Package>(folder: string, name: string): Package {
  return createRequire(resolve(folder, 'package.json'))(name) as Package
}

/** Prints a figure as one JSON line, with at most four decimals. */
export function printFigure(figure: Figure): void {
  process.stdout.write(`${JSON.stringify({ ...figure, value: Number(figure.value.toFixed(4)) })}\n`)
}

/** Shows progress on stderr: a bar on a terminal, otherwise one line per tenth. */
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

/** The smallest value such that this share of all values is at or below it. */
export function percentileOf(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0
}
