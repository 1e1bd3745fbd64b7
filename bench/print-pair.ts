import { printFigure } from '../measurements/print-figure.ts'
import type { Measured, RoundOptions } from './rounds.ts'

/** The package that ours is measured against; package.json pins it. */
export const STOCK = '@x402/hono 2.27.0'

/** Prints what two sides measured in the same rounds: the rate, then processor time, where less is better. */
export function printPair(pair: {
  readonly bench: string
  readonly figure: string
  readonly ours: Measured
  readonly peer: string
  readonly theirs: Measured
  readonly options: RoundOptions
}): void {
  const { bench, figure, ours, peer, theirs, options } = pair
  const latencies = { p50Ms: ours.p50Ms, p99Ms: ours.p99Ms, peerP50Ms: theirs.p50Ms, peerP99Ms: theirs.p99Ms }
  printFigure({
    bench,
    figure,
    unit: '1/s',
    value: ours.perSecond,
    peer,
    peerValue: theirs.perSecond,
    setting: { ...options, ...latencies, ...(theirs.refused > 0 && { peerRefused: theirs.refused }) },
  })
  printFigure({
    bench,
    figure: `processor time of ${figure}`,
    unit: 'µs each, less is better',
    value: ours.cpuMicrosPerRequest,
    peer,
    peerValue: theirs.cpuMicrosPerRequest,
  })
}
