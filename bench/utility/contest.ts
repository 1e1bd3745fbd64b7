import { printFigure } from '../../measurements/print-figure.ts'

/** Processes one item and returns the time it took, in ms. */
export type Side<Item> = (item: Item) => Promise<number>

/** An endpoint's work next to a library's on the same items. */
export type Contest<Item> = {
  /** Path of the endpoint, and which part of it is measured. */
  readonly figure: string
  readonly unit: string
  readonly items: readonly Item[]
  readonly ours: Side<Item>
  /** Null if no such library is installed. */
  readonly peer: { readonly name: string; readonly side: Side<Item> } | null
  readonly setting?: Readonly<Record<string, string | number>>
}

type Times = { readonly ms: number[]; cpuMicros: number; failures: number }

/** Items processed before the clocks start, so that the engine has compiled the hot code. */
const WARM_UP_SHARE = 0.2

/** Makes a side that works in this thread. */
export function timed<Item>(work: (item: Item) => unknown): Side<Item> {
  return async (item) => {
    const startedMs = performance.now()
    await work(item)
    return performance.now() - startedMs
  }
}

/**
 * Runs both sides on each item alternately, so that other work on the machine affects them equally, and
 * prints a figure.
 */
export async function runContest<Item>(contest: Contest<Item>): Promise<void> {
  const { figure, unit, items, ours, peer } = contest
  const sides = peer ? [ours, peer.side] : [ours]
  const measured = sides.map((): Times => ({ ms: [], cpuMicros: 0, failures: 0 }))
  for (const item of items.slice(0, Math.ceil(items.length * WARM_UP_SHARE)))
    for (const side of sides) await side(item).catch(() => {})
  for (const item of items)
    for (const [at, side] of sides.entries()) await runOnce(side, item, measured[at] as Times)
  const [own, other] = measured
  printFigure({
    bench: 'utility',
    figure,
    unit,
    value: rateOf(own as Times),
    ...(peer && other && { peer: peer.name, peerValue: rateOf(other) }),
    setting: {
      items: items.length,
      ...contest.setting,
      ...describe(own as Times, ''),
      ...(other && describe(other, 'peer')),
    },
  })
}

async function runOnce<Item>(side: Side<Item>, item: Item, times: Times): Promise<void> {
  const cpu = process.cpuUsage()
  const startedMs = performance.now()
  const ms = await side(item).catch(() => {
    times.failures += 1
    return performance.now() - startedMs
  })
  const { user, system } = process.cpuUsage(cpu)
  times.ms.push(ms)
  times.cpuMicros += user + system
}

function rateOf({ ms }: Times): number {
  return Number(((1000 * ms.length) / ms.reduce((sum, one) => sum + one, 0)).toPrecision(4))
}

function describe({ ms, cpuMicros, failures }: Times, of: string): Record<string, number> {
  const named = (name: string) =>
    of === '' ? name : of + name.replace(/^./, (letter) => letter.toUpperCase())
  const shares = [50, 95, 99].map((share) => [named(`p${share}Ms`), percentileOf(ms, share / 100)] as const)
  return {
    ...Object.fromEntries(shares),
    // All threads of this process, including the garbage collector's; a browser or curl is another process.
    [named('cpuMsEach')]: Number((cpuMicros / 1000 / ms.length).toPrecision(3)),
    ...(failures > 0 && { [named('failures')]: failures }),
  }
}

/** The smallest value such that this share of all values is at or below it. */
export function percentileOf(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  return Number((sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0).toPrecision(3))
}
