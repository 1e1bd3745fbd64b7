import { setTimeout as wait } from 'node:timers/promises'
import { createRandom } from '@tollbook/devchain/demo-week/random'
import { type Books, findDifferences } from './balance.ts'
import { createBelongings } from './belongings.ts'
import { drawErrand, type Errand, listErrands, loadAll } from './errands.ts'
import { describeMemory, toMb } from './memory.ts'
import { type Buyer, buy, type Purchase } from './purchase.ts'
import { readBooks, readHead } from './read-books.ts'
import { openTown, type Town } from './town.ts'
import { type Sample, takeSamples, toLives, worstDelay } from './vitals.ts'

export type SoakOptions = {
  readonly minutes: number
  /** Calls started per second. */
  readonly rate: number
  /** 0: nothing is killed. */
  readonly killEverySeconds: number
  readonly seed: number
  /** Receives progress twice a minute. */
  readonly say: (line: string) => void
  /**
   * Receives the result before the processes are stopped, so that a process that does not stop hides nothing.
   */
  readonly tell: (result: SoakResult) => void
}

export type SoakResult = {
  readonly kills: number
  readonly processes: number
  /** Human-readable discrepancies; empty if callers, ledger, chain and reports agree. */
  readonly differences: readonly string[]
  readonly figures: readonly (readonly [figure: string, unit: string, value: number])[]
}

const WALLETS = 40
/** Maximum number of open calls; above it the machine cannot sustain the rate, and the next call waits. */
const MAX_OPEN = 64
const SAMPLE_EVERY_MS = 15_000
const SAY_EVERY_MS = 30_000

/** Sells everything for a while, kills single processes, and compares the books at the end. */
export async function soak(options: SoakOptions): Promise<SoakResult> {
  const catalogue = await loadAll()
  const town = await openTown({ wallets: WALLETS, endpoints: [...catalogue.values()].flat(), copies: 2 })
  try {
    const fromBlock = await readHead(town)
    const errands = listErrands(catalogue, town.site)
    const over = new AbortController()
    const shopping = sell(town, errands, options)
    const killing = killNowAndThen(town, options, over.signal)
    const watching = watch(town, over.signal)
    const purchases = await shopping
    over.abort()
    const [kills, samples] = await Promise.all([killing, watching])
    options.say('all calls have ended; the reports are awaited')
    const books = await readBooks(town, { fromBlock, purchases })
    const differences = findDifferences(books)
    const result: SoakResult = {
      kills,
      processes: town.houses.length,
      differences,
      figures: [
        ['differences', 'differences', differences.length],
        ...describeCalls(books, options),
        ...describeVitals(town, samples, options),
      ],
    }
    options.tell(result)
    return result
  } finally {
    await town.close()
  }
}

/** Buys at a steady rate for so many minutes. @returns every call, once all have ended. */
export async function sell(
  town: Town,
  errands: readonly Errand[],
  options: Pick<SoakOptions, 'minutes' | 'rate' | 'seed' | 'say'> & Pick<Buyer, 'onTry'>,
): Promise<readonly Purchase[]> {
  const { minutes, rate, seed, say, onTry } = options
  const random = createRandom(seed)
  const belongings = createBelongings(town.market.payers)
  const purchases: Purchase[] = []
  const open = new Set<Promise<unknown>>()
  const startMs = performance.now()
  const endMs = startMs + minutes * 60_000
  let saidMs = startMs
  for (let at = 0; performance.now() < endMs; at += 1) {
    const dueMs = startMs + (at * 1000) / rate
    await wait(Math.max(0, dueMs - performance.now()))
    while (open.size >= MAX_OPEN) await Promise.race(open)
    const { payer, errand } = belongings.assign(drawErrand(errands, random), random)
    const call = buy(errand, {
      id: `soak ${seed} ${at}`,
      payer,
      shops: town.shops,
      random,
      ...(onTry && { onTry }),
    }).then((purchase) => purchases.push(purchase))
    const done = call.finally(() => open.delete(done))
    open.add(done)
    if (performance.now() - saidMs < SAY_EVERY_MS) continue
    saidMs = performance.now()
    const answered = purchases.filter(({ outcome }) => outcome.kind === 'answered').length
    const minutesGone = ((saidMs - startMs) / 60_000).toFixed(1)
    say(
      `${minutesGone} of ${minutes} minutes: ${purchases.length} calls, ${answered} answered, ${open.size} open`,
    )
  }
  await Promise.all(open)
  return purchases
}

/** Nothing is killed in the last third, so that every process lives long enough to judge its memory. */
const KILLING_SHARE = 2 / 3

async function killNowAndThen(town: Town, options: SoakOptions, signal: AbortSignal): Promise<number> {
  const { minutes, killEverySeconds, seed, say } = options
  if (killEverySeconds === 0) return 0
  const lastMs = performance.now() + minutes * 60_000 * KILLING_SHARE
  const random = createRandom(seed + 1)
  const mortals = town.houses.filter(({ isMortal }) => isMortal)
  for (let kills = 0; ; kills += 1) {
    await wait(killEverySeconds * 1000, undefined, { signal }).catch(() => {})
    if (signal.aborted || performance.now() > lastMs) return kills
    const victim = mortals[Math.floor(random() * mortals.length)]
    if (!victim) return kills
    await victim.restart()
    say(`${victim.name} was killed and is up again`)
  }
}

async function watch(town: Town, signal: AbortSignal): Promise<readonly Sample[]> {
  const samples: Sample[] = []
  const startMs = performance.now()
  while (!signal.aborted) {
    samples.push(...(await takeSamples(town.houses, (performance.now() - startMs) / 1000)))
    await wait(SAMPLE_EVERY_MS, undefined, { signal }).catch(() => {})
  }
  return samples
}

function describeCalls({ purchases, transfers }: Books, { say }: SoakOptions): SoakResult['figures'] {
  const answered = purchases.filter(({ outcome }) => outcome.kind === 'answered')
  const others = purchases.filter(({ outcome }) => outcome.kind !== 'answered')
  const reasons = Map.groupBy(others, ({ endpointId, outcome }) => {
    const reason = outcome.kind === 'refused' ? `${outcome.status} ${outcome.code}` : 'left open'
    return `${endpointId}: ${reason}`
  })
  for (const [reason, calls] of [...reasons]
    .sort((one, other) => other[1].length - one[1].length)
    .slice(0, 40))
    say(`${calls.length} not answered: ${reason}`)
  const times = answered.map(({ ms }) => ms).sort((one, other) => one - other)
  const at = (share: number) => Math.round(times[Math.floor(times.length * share)] ?? Number.NaN)
  const sum = transfers.reduce((total, { amount }) => total + amount, 0n)
  return [
    ['calls', 'calls', purchases.length],
    ['answered and charged', 'calls', answered.length],
    ['refused and uncharged', 'calls', others.length],
    ['settled on the chain', 'micro-USDC', Number(sum)],
    ['time of a paid call with its 402, p50', 'ms', at(0.5)],
    ['time of a paid call with its 402, p99', 'ms', at(0.99)],
  ]
}

function describeVitals(
  { houses }: Town,
  samples: readonly Sample[],
  { say }: SoakOptions,
): SoakResult['figures'] {
  const byHouse = Map.groupBy(samples, ({ house }) => house)
  return houses.flatMap(({ name }) => {
    const lives = toLives(byHouse.get(name) ?? [])
    const { course, words } = describeMemory(name, lives)
    say(words)
    const delay = Number(worstDelay(lives).toFixed(1))
    const ratio = course.growth ? [Number(course.growth.ratio.toFixed(3))] : []
    return [
      ...(Number.isNaN(delay) ? [] : [[`${name}: event-loop delay p99.9, worst life`, 'ms', delay] as const]),
      [`${name}: memory, highest`, 'MB', toMb(course.highestBytes)] as const,
      ...ratio.map((value) => [`${name}: memory, last sixth over second`, 'ratio', value] as const),
    ]
  })
}
