import type { ExtractedText } from './extract-text.ts'
import { percentileOf, printFigure } from './suite.ts'

/** Prints how long pages took, in wall-clock time and in processor time. */
export function printTimes(suite: string, pages: readonly ExtractedText[]): void {
  for (const share of [0.5, 0.95, 0.99]) {
    const print = (figure: string, values: readonly number[]) =>
      printFigure({
        suite,
        figure: `${figure}, p${share * 100}`,
        value: percentileOf(values, share),
        of: pages.length,
      })
    print(
      'ms a page',
      pages.map(({ ms }) => ms),
    )
    print(
      'processor ms a page',
      pages.map(({ cpuMs }) => cpuMs),
    )
  }
}
