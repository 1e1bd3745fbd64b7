import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { createRandom } from '@tollbook/devchain/demo-week/random'
import { makeRunFolder } from '@tollbook/testing/run-folder'
import { findDifferences } from '../soak/balance.ts'
import { namesItem } from '../soak/belongings.ts'
import { type Errand, listErrands, loadAll } from '../soak/errands.ts'
import type { Purchase } from '../soak/purchase.ts'
import { readBooks, readHead } from '../soak/read-books.ts'
import { sell } from '../soak/soak.ts'
import { type House, type Launch, openTown, type Shop } from '../soak/town.ts'
import { startClickhouseGrid } from './clickhouse-grid.ts'
import { drawFaults, FAULTS, type Scene } from './faults.ts'
import { openNetwork } from './network.ts'
import { startPostgresPair } from './postgres-pair.ts'
import { startReverseProxy } from './reverse-proxy.ts'

export type ClusterOptions = {
  readonly minutes: number
  /** Calls started per second. */
  readonly rate: number
  /** Pause between the repair of one fault and the next. */
  readonly pauseSeconds: number
  readonly seed: number
  /** Main file of an older release, whose processes a rolling upgrade replaces half way; null for none. */
  readonly from: string | null
  readonly say: (line: string) => void
  /** Receives the result before the processes are stopped. */
  readonly tell: (result: ClusterResult) => void
}

export type ClusterResult = {
  readonly faults: number
  readonly kinds: number
  readonly processes: number
  readonly differences: readonly string[]
  readonly figures: readonly (readonly [figure: string, unit: string, value: number])[]
}

const WALLETS = 40
const COPIES = 3
const HEAP_MB = 384
/** The first fault comes once everything is warm, and the last ones are over before the calls end. */
const CALM_MS = 20_000
/** After a fault has begun, calls that start within this time may fail. */
const GRACE_MS = 10_000
const FAKETIME = '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1'

type Struck = { readonly kind: string; readonly atMs: number; readonly ms: number }

/** Sells on many machines while they fail one after the other, and compares the books at the end. */
export async function cluster(options: ClusterOptions): Promise<ClusterResult> {
  const { minutes, seed, say, from } = options
  if (!existsSync(FAKETIME)) throw new Error(`${FAKETIME} is missing: install the package faketime`)
  const catalogue = await loadAll()
  const folder = makeRunFolder('cluster')
  // PostgreSQL runs as another user.
  chmodSync(folder, 0o711)
  const shared = join(folder, 'data')
  mkdirSync(shared)
  const network = openNetwork(6)
  const [first, second, ...others] = network.islands
  if (!first || !second) throw new RangeError('the network has too few islands')
  const closing: (() => unknown)[] = [() => network.close()]
  try {
    const postgres = await startPostgresPair(folder, [first, second], network.range)
    closing.push(() => postgres.close())
    const clickhouse = await startClickhouseGrid(folder, others, network.range)
    closing.push(() => clickhouse.close())
    say('the databases are up')
    const clocks = new Map<string, string>()
    let main = from
    let isUpgraded = from === null
    const launch = (house: string): Launch => {
      const clock = join(folder, `${house.replace(' ', '-')}.clock`)
      writeFileSync(clock, '+0s\n')
      clocks.set(house, clock)
      const environment = {
        LD_PRELOAD: FAKETIME,
        FAKETIME_TIMESTAMP_FILE: clock,
        FAKETIME_CACHE_DURATION: '1',
        // Timers run by the monotonic clock, which no clock step moves.
        FAKETIME_DONT_FAKE_MONOTONIC: '1',
        NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}`,
      }
      return { environment, ...(main && { main }) }
    }
    const over = new AbortController()
    const inRepair = new Set<House>()
    const revive = async (house: House, isOrderly: boolean) => {
      if (inRepair.has(house)) return
      inRepair.add(house)
      for (let orderly = isOrderly; !over.signal.aborted; orderly = false) {
        try {
          await house.restart(orderly)
          break
        } catch {
          await wait(1_000)
        }
      }
      inRepair.delete(house)
    }
    let endings = 0
    const town = await openTown({
      wallets: WALLETS,
      endpoints: [...catalogue.values()].flat(),
      copies: COPIES,
      cluster: {
        folder: shared,
        stateUrl: postgres.url,
        ledgerUrl: clickhouse.url,
        launch,
        async spread(urls) {
          const proxy = await startReverseProxy(urls)
          closing.push(() => proxy.close())
          return proxy.url
        },
      },
      onDeath(house, words) {
        if (over.signal.aborted || inRepair.has(house)) return
        endings += 1
        const last = words.trimEnd().split('\n').slice(-6).join(' ')
        say(`${house.name} ended by itself and is started again: ${last.slice(-800)}`)
        void revive(house, false)
      },
    })
    closing.push(() => town.close())
    say(`${town.houses.length} processes are up`)
    const random = createRandom(seed + 1)
    const scene: Scene = { houses: town.houses, postgres, clickhouse, clocks, revive, random }
    const fromBlock = await readHead(town)
    const tries = new Map<string, number>()
    const onTry = (status: number, code: string, endpointId: string) => {
      const refusal = status === 500 ? `500 ${code} of ${endpointId}` : `${status} ${code}`
      const seen = status === 0 ? 'no answer' : status < 300 ? 'answered' : refusal
      tries.set(seen, (tries.get(seen) ?? 0) + 1)
    }
    const errands = await keepSold(listErrands(catalogue, town.site), town.shops, say)
    const older =
      from === null ? [] : listErrands(await loadAll(pathToFileURL(join(from, '../../'))), town.site)
    const judged = errands.map((errand): Errand => {
      const before = older.find((one) => one.endpointId === errand.endpointId && one.scheme === errand.scheme)
      return {
        ...errand,
        /** Until the upgrade is complete, an answer may also have the form that the older release documents. */
        findFault(text) {
          if (!isUpgraded && before?.findFault?.(text) === null) return null
          return errand.findFault?.(text) ?? null
        },
      }
    })
    const shopping = sell(town, judged, { ...options, onTry })
    const endMs = performance.now() + minutes * 60_000
    const struck = await strike(scene, options, endMs, async () => {
      if (!main) return
      main = null
      for (const house of town.houses) await revive(house, true)
      isUpgraded = true
    })
    const purchases = await shopping
    say('all calls have ended; the reports are awaited')
    const books = await readBooks(town, { fromBlock, purchases })
    const differences = findDifferences(books)
    over.abort()
    for (const [seen, count] of [...tries].sort((one, other) => other[1] - one[1]).slice(0, 30))
      say(`${count} times a caller saw: ${seen}`)
    const kinds = Map.groupBy(struck, ({ kind }) => kind)
    for (const [kind, all] of kinds)
      say(
        `${all.length} times ${kind}, repaired after ${Math.max(...all.map(({ ms }) => Math.round(ms)))} ms at most`,
      )
    const result: ClusterResult = {
      faults: struck.length,
      kinds: kinds.size,
      processes: town.houses.length + 6,
      differences,
      figures: [
        ['differences', 'differences', differences.length],
        ['processes that ended by themselves', 'processes', endings],
        ...describeAvailability(purchases, { struck, say }),
      ],
    }
    options.tell(result)
    return result
  } finally {
    for (const close of closing.reverse()) await close()
  }
}

/** The errands whose endpoint is set up, as its service says before any fault. */
async function keepSold(
  errands: readonly Errand[],
  shops: readonly Shop[],
  say: (line: string) => void,
): Promise<readonly Errand[]> {
  const unsold = new Set<string>()
  for (const { service, endpointId, request } of errands) {
    const { path, init } = request()
    const shop = shops.find(({ sells }) => sells === service)
    const text = await (await fetch(`${shop?.url}${path}`, init)).text()
    if (text.includes('"not_configured"')) unsold.add(endpointId)
  }
  if (unsold.size > 0) say(`not set up here, so not bought: ${[...unsold].join(', ')}`)
  return errands.filter(({ endpointId }) => !unsold.has(endpointId))
}

/** Strikes one fault after the other until shortly before the end. */
async function strike(
  scene: Scene,
  { pauseSeconds, say }: ClusterOptions,
  endMs: number,
  upgrade: () => Promise<void>,
): Promise<readonly Struck[]> {
  const struck: Struck[] = []
  const kinds = drawFaults(scene.random)
  const halfMs = (performance.now() + endMs) / 2
  let isUpgraded = false
  await wait(CALM_MS)
  while (performance.now() < endMs - CALM_MS) {
    if (!isUpgraded && performance.now() > halfMs) {
      isUpgraded = true
      await upgrade()
    }
    const kind = kinds.next().value
    const atMs = performance.now()
    const harmed = await FAULTS[kind]?.(scene)
    const ms = performance.now() - atMs
    struck.push({ kind, atMs, ms })
    say(`${kind}: ${harmed}, repaired after ${Math.round(ms)} ms`)
    await wait(pauseSeconds * 1_000)
  }
  return struck
}

function describeAvailability(
  purchases: readonly Purchase[],
  { struck, say }: { readonly struck: readonly Struck[]; readonly say: (line: string) => void },
): ClusterResult['figures'] {
  // No failure: a request that is refused before payment, and an item that another call has deleted meanwhile.
  const isRefused = ({ endpointId, nonce, outcome }: Purchase) =>
    outcome.kind === 'refused' &&
    ((nonce === null && outcome.status < 500) || (outcome.status === 404 && namesItem(endpointId)))
  const meant = purchases.filter((one) => !isRefused(one))
  const isCalm = ({ startedMs }: Purchase) =>
    struck.every(({ atMs }) => startedMs < atMs || startedMs > atMs + GRACE_MS)
  const calm = meant.filter(isCalm)
  const answered = (all: readonly Purchase[]) => all.filter(({ outcome }) => outcome.kind === 'answered')
  const share = (some: readonly Purchase[], all: readonly Purchase[]) =>
    Number(((100 * some.length) / all.length).toFixed(2))
  const atOnce = answered(calm).filter(({ tries }) => tries === 1)
  const times = answered(meant)
    .map(({ ms }) => ms)
    .sort((one, other) => one - other)
  for (const one of calm.filter(({ outcome }) => outcome.kind !== 'answered'))
    say(describeFailure(one, struck))
  const at = (portion: number) => Math.round(times[Math.floor(times.length * portion)] ?? Number.NaN)
  return [
    ['calls', 'calls', purchases.length],
    ['paid calls', 'calls', meant.length],
    ['answered in the end', '%', share(answered(meant), meant)],
    ['answered, of those begun outside of the first 10 s after a fault', '%', share(answered(calm), calm)],
    ['the same, by the first payment sent', '%', share(atOnce, calm)],
    ['time of a paid call with its 402, p50', 'ms', at(0.5)],
    ['time of a paid call with its 402, p99', 'ms', at(0.99)],
  ]
}

function describeFailure(
  { endpointId, outcome, startedMs, ms, tries }: Purchase,
  struck: readonly Struck[],
): string {
  const last = struck.findLast(({ atMs }) => atMs < startedMs)
  const since = last ? `${Math.round(startedMs - last.atMs)} ms after ${last.kind}` : 'before any fault'
  return `${endpointId} failed ${since}, after ${tries} tries and ${Math.round(ms)} ms: ${JSON.stringify(outcome)}`
}
