import fc from 'fast-check'
import type { Endpoint } from '../../src/catalogue/endpoint.ts'
import type { ServiceName } from '../../src/catalogue/service.ts'
import { createRandom } from '../../src/devchain/demo-week/random.ts'
import { type ExampleRequest, toRequests } from '../catalogue/example-requests.ts'
import { leadTo } from '../paying/example-world.ts'
import { findDifferences } from '../soak/balance.ts'
import { loadAll, schemesOf } from '../soak/errands.ts'
import { buy, type Purchase } from '../soak/purchase.ts'
import { readBooks, readHead } from '../soak/read-books.ts'
import { openTown, type Town } from '../soak/town.ts'
import { drawInputs, type Input, KINDS, type Kind } from './draw-inputs.ts'

export type FuzzOptions = {
  /** Of each endpoint. */
  readonly cases: number
  readonly seed: number
  /** Absent: all. */
  readonly only?: readonly string[]
  /** Told after each endpoint. */
  readonly say: (line: string) => void
}

export type FuzzResult = {
  readonly endpoints: number
  readonly calls: number
  readonly answered: number
  /** What may not be, in words, each with the request that shows it. */
  readonly violations: readonly string[]
}

const WALLETS = 40
const AT_ONCE = 12
/** Longer than any endpoint may take: whoever waits so long hangs. */
const HANG_MS = 60_000
/** These take seconds of processor time for an answer, so fewer of their inputs are allowed ones. */
const COSTLY = new Set(['audio.transcriptions', 'audio.speech', 'vectorize'])
const COSTLY_SHARE = 0.05
/** Statuses by which a service itself says that it has failed. */
const FAILED = new Set([500, 501, 505])

type Case = { readonly endpoint: Endpoint; readonly kind: Kind; readonly request: ExampleRequest }

/**
 * Sends every paid endpoint inputs drawn from its own schema, first without and then with a payment, and says where
 * a service failed, hung, died, or charged without an answer.
 */
export async function fuzz({ cases, seed, only, say }: FuzzOptions): Promise<FuzzResult> {
  const catalogue = await loadAll()
  const town = await openTown({ wallets: WALLETS, endpoints: [...catalogue.values()].flat(), copies: 1 })
  try {
    const fromBlock = await readHead(town)
    const purchases: Purchase[] = []
    const violations: string[] = []
    let endpoints = 0
    for (const [service, all] of catalogue) {
      for (const endpoint of all) {
        if (endpoint.pricing.kind === 'free' || (only && !only.includes(endpoint.id))) continue
        endpoints += 1
        const found = await fuzzEndpoint(town, { service, endpoint, all, cases, seed: seed + endpoints })
        purchases.push(...found.purchases)
        violations.push(...found.violations)
        const answered = found.purchases.filter(({ outcome }) => outcome.kind === 'answered').length
        say(
          `${endpoint.id}: ${found.purchases.length} calls, ${answered} answered, ${found.violations.length} faults`,
        )
      }
    }
    for (const { name, url } of town.houses) {
      const alive = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(HANG_MS) }).catch(() => null)
      if (alive?.status !== 200) violations.push(`the process ${name} did not live to the end`)
    }
    violations.push(...findDifferences(await readBooks(town, { fromBlock, purchases })))
    const answered = purchases.filter(({ outcome }) => outcome.kind === 'answered').length
    return { endpoints, calls: purchases.length, answered, violations }
  } finally {
    await town.close()
  }
}

type Target = {
  readonly service: ServiceName
  readonly endpoint: Endpoint
  readonly all: readonly Endpoint[]
  readonly cases: number
  readonly seed: number
}

async function fuzzEndpoint(town: Town, { service, endpoint, all, cases, seed }: Target) {
  const purchases: Purchase[] = []
  const violations: string[] = []
  const random = createRandom(seed)
  const schemes = schemesOf(endpoint)
  const waiting = drawCases(town, { service, endpoint, all, cases, seed }).entries()
  const work = async () => {
    for (const [at, { kind, request }] of waiting) {
      const payer = town.market.payers[(at + seed) % town.market.payers.length]
      if (!payer) throw new Error('nobody buys')
      const scheme = schemes[at % schemes.length] ?? 'exact'
      const errand = { service, endpointId: endpoint.id, scheme, weight: 1, request: () => request } as const
      const purchase = await buy(errand, {
        ...{
          id: `fuzz ${seed} ${endpoint.id} ${at}`,
          payer,
          houses: town.houses,
          random,
          longestMs: HANG_MS,
        },
      })
      purchases.push(purchase)
      const { outcome } = purchase
      const isFailed = outcome.kind === 'refused' && FAILED.has(outcome.status)
      if (outcome.kind === 'open' || isFailed)
        violations.push(`${endpoint.id}, ${kind}: ${JSON.stringify(outcome)} to ${describe(request)}`)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return { purchases, violations }
}

function drawCases(town: Town, { endpoint, all, cases, seed }: Target): readonly Case[] {
  const example = leadTo(endpoint.example.input as Input, { origin: town.site })
  const arbitraries = drawInputs(endpoint, example)
  return KINDS.flatMap((kind, nth) => {
    const share = kind === 'valid' && COSTLY.has(endpoint.id) ? COSTLY_SHARE : 1
    const numRuns = Math.ceil((cases * share) / KINDS.length)
    return fc.sample(arbitraries[kind], { numRuns, seed: seed * KINDS.length + nth }).flatMap((input) => {
      const request = toRequest(endpoint, all, input)
      return request ? [{ endpoint, kind, request }] : []
    })
  })
}

/** Null for what no client can send: half of a character in a path or a query. */
function toRequest(endpoint: Endpoint, all: readonly Endpoint[], input: Input): ExampleRequest | null {
  try {
    const requests = toRequests(endpoint, all, input)
    const request = requests[Object.keys(input).length % Math.max(1, requests.length)]
    if (request) new Request(`http://127.0.0.1${request.path}`, request.init)
    return request ?? null
  } catch {
    return null
  }
}

function describe({ method, path, init }: ExampleRequest): string {
  const body = typeof init.body === 'string' ? ` ${init.body.slice(0, 500)}` : ''
  return `${method} ${path.slice(0, 500)}${body}`
}
