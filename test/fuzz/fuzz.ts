import { createRandom, type Random } from '@tollbook/devchain/demo-week/random'
import type { Endpoint } from '@tollbook/endpoints/endpoint'
import type { ExampleRequest } from '@tollbook/testing/catalogue/example-requests'
import type { Payer } from '@tollbook/testing/payments/sign-payment'
import type { PaidService } from '../open-service-of.ts'
import { findDifferences } from '../soak/balance.ts'
import { loadAll, schemesOf } from '../soak/errands.ts'
import { buy, type Purchase } from '../soak/purchase.ts'
import { readBooks, readHead } from '../soak/read-books.ts'
import { type House, openTown, type Town } from '../soak/town.ts'
import { type Case, drawCases, isCostly, type Target } from './draw-cases.ts'
import { judgePage } from './judge-page.ts'
import { createRotation } from './rotation.ts'
import { toolFetch } from './tool-fetch.ts'

export type FuzzOptions = {
  /** Cases per endpoint. */
  readonly cases: number
  readonly seed: number
  /** Absent: all. */
  readonly only?: readonly string[]
  /** No case is started after this many minutes of calls; absent: all are. */
  readonly minutes?: number
  /** Concurrent calls, each with a wallet of its own. */
  readonly atOnce: number
  /** Called after each case. */
  readonly onCase: (done: number, total: number) => void
  /** Receives each violation when it is found, and each endpoint at the end. */
  readonly say: (line: string) => void
}

export type FuzzResult = {
  readonly endpoints: number
  /** Cases of the endpoint that received the fewest. */
  readonly fewest: number
  readonly calls: number
  readonly answered: number
  readonly violations: number
}

/**
 * Longer than any endpoint may take, on a machine that does other work too: a call that waits this long
 * hangs.
 */
const HANG_MS = 120_000
/**
 * Concurrent cases of one endpoint: enough to use its semaphores, queues and limits without exhausting them.
 */
const MAX_OF_ONE = 4
/** Statuses by which a service itself reports a failure. */
const FAILED = new Set([500, 501, 505])
/** Every so many cases, one is sent as a tool call: prime to the kinds, so that each kind is. */
const TOOL_EVERY = 4
/** Every so many cases, the same request is first sent as a browser does. */
const PAGE_EVERY = 5
/** Of one endpoint, in its line. */
const MAX_REASONS = 12

/**
 * Sends every paid endpoint inputs drawn from its own schema, first without and then with a payment, and
 * reports where a service failed, hung, died, charged without an answer, or sold what it had announced it
 * would refuse.
 */
export async function fuzz(options: FuzzOptions): Promise<FuzzResult> {
  const { cases, seed, only, say } = options
  const catalogue = await loadAll()
  const targets = [...catalogue].flatMap(([service, siblings]) =>
    siblings
      .filter(({ pricing, id }) => pricing.kind !== 'free' && (!only || only.includes(id)))
      .map((endpoint): Target => ({ service, endpoint, siblings })),
  )
  const violations: string[] = []
  const violate = (words: string) => {
    violations.push(words)
    say(words)
  }
  const onDeath = (house: House, words: string) => {
    violate(`the process ${house.name} died: ${words}`)
    house.restart().catch((error: unknown) => violate(`it does not start again: ${error}`))
  }
  const town = await openTown({
    wallets: options.atOnce,
    endpoints: [...catalogue.values()].flat(),
    copies: 1,
    onDeath,
  })
  let isOpen = true
  const closeTown = async () => {
    isOpen = false
    for (const name of await town.close()) violate(`the process ${name} did not end when it was asked to`)
  }
  try {
    const fromBlock = await readHead(town)
    const rows = targets.map((owner, nth) => ({
      owner,
      items: drawCases(owner, { cases, seed: seed + nth, site: town.site }),
      max: isCostly(owner.endpoint) ? 1 : MAX_OF_ONE,
    }))
    const rotation = createRotation<Target, Case>(rows)
    const untilMs = performance.now() + (options.minutes ?? Number.POSITIVE_INFINITY) * 60_000
    const purchases: Purchase[] = []
    const work = async (payer: Payer, nth: number) => {
      const random = createRandom(seed + nth)
      for (let turn = rotation.take(); turn; turn = performance.now() < untilMs ? rotation.take() : null) {
        const { owner, item } = turn
        const origin = town.houses.find(({ sells }) => sells === owner.service)?.url ?? ''
        const fault =
          item.at % PAGE_EVERY === 0 &&
          (await judgePage(origin, item.request, AbortSignal.timeout(HANG_MS)).catch(String))
        if (fault) violate(`${owner.endpoint.id}, ${item.kind}: ${fault} for ${describe(item.request)}`)
        const purchase = await send(town, owner, item, { payer, random, seed })
        turn.end()
        purchases.push(purchase)
        for (const words of judge(purchase))
          violate(`${owner.endpoint.id}, ${item.kind}: ${words} to ${describe(item.request)}`)
        options.onCase(purchases.length, cases * targets.length)
      }
    }
    await Promise.all(town.market.payers.map(work))
    await askWhoLives(town, violate)
    for (const words of findDifferences(await readBooks(town, { fromBlock, purchases }))) violate(words)
    const byEndpoint = Map.groupBy(purchases, ({ endpointId }) => endpointId)
    for (const [id, own] of byEndpoint) say(describeEndpoint(id, own))
    await closeTown()
    return {
      endpoints: targets.length,
      fewest: Math.min(...targets.map(({ endpoint }) => byEndpoint.get(endpoint.id)?.length ?? 0)),
      calls: purchases.length,
      answered: purchases.filter(({ outcome }) => outcome.kind === 'answered').length,
      violations: violations.length,
    }
  } finally {
    if (isOpen) await closeTown()
  }
}

type Sender = { readonly payer: Payer; readonly random: Random; readonly seed: number }

function send(
  town: Town,
  { service, endpoint }: { readonly service: PaidService; readonly endpoint: Endpoint },
  { at, input, request }: Case,
  { payer, random, seed }: Sender,
): Promise<Purchase> {
  const schemes = schemesOf(endpoint)
  const scheme = schemes[at % schemes.length] ?? 'exact'
  const errand = {
    service,
    endpointId: endpoint.id,
    scheme,
    weight: 1,
    request: () => request,
    ...(at % TOOL_EVERY === 1 && { fetch: toolFetch(endpoint, input) }),
  } as const
  const id = `fuzz ${seed} ${endpoint.id} ${at}`
  return buy(errand, { id, payer, shops: town.shops, random, maxMs: HANG_MS })
}

/** The violations of a single call, in human-readable form. */
function judge({ outcome, foretold }: Purchase): readonly string[] {
  const told = JSON.stringify(outcome, (_, value) => (typeof value === 'bigint' ? String(value) : value))
  const found: string[] = []
  if (outcome.kind === 'open') found.push(`no end, ${told}`)
  if (outcome.kind === 'refused' && FAILED.has(outcome.status)) found.push(`a failure, ${told}`)
  if (foretold && outcome.kind === 'answered') found.push(`sold what was to be refused as ${foretold}`)
  return found
}

async function askWhoLives({ houses }: Town, violate: (words: string) => void): Promise<void> {
  for (const { name, url } of houses) {
    const alive = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(HANG_MS) }).catch(() => null)
    if (alive?.status !== 200) violate(`the process ${name} does not live at the end`)
  }
}

function describeEndpoint(id: string, purchases: readonly Purchase[]): string {
  const reasons = Map.groupBy(purchases, ({ outcome }) =>
    outcome.kind === 'refused' ? `${outcome.status} ${outcome.code}` : outcome.kind,
  )
  const counts = [...reasons]
    .toSorted((one, other) => other[1].length - one[1].length)
    .slice(0, MAX_REASONS)
    .map(([reason, { length }]) => `${length} ${reason}`)
  const slowest = Math.max(...purchases.map(({ ms }) => ms))
  return `${id}: ${purchases.length} calls, ${counts.join(', ')}; slowest ${(slowest / 1000).toFixed(1)} s`
}

function describe({ method, path, init }: ExampleRequest): string {
  const { body } = init
  const sent = body instanceof FormData ? [...body].map(describePart).join(' ') : String(body ?? '')
  return `${method} ${path.slice(0, 500)} ${sent.slice(0, 500)}`.trimEnd()
}

function describePart([name, value]: [string, File | string]): string {
  if (typeof value === 'string') return `${name}=${value.slice(0, 100)}`
  return `${name}=@${value.name.slice(0, 100)};type=${value.type} (${value.size} bytes)`
}
