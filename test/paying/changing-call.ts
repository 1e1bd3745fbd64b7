import assert from 'node:assert/strict'
import { setImmediate as turn } from 'node:timers/promises'
import type { State } from '@tollbook/cli/commands/state/state'
import type { Endpoint } from '@tollbook/endpoints/endpoint'
import { loadEndpoints } from '@tollbook/endpoints/load'
import { issueSession } from '@tollbook/social/session/session-store'
import { toRequests } from '@tollbook/testing/catalogue/example-requests'
import { createWorld, type Process, type World } from '@tollbook/testing/payments/gate-world'
import type { Payer } from '@tollbook/testing/payments/sign-payment'
import { socialPorts, testSessionKeys } from '@tollbook/testing/social/open-social'
import { onEveryState } from '@tollbook/testing/state/every-state'
import { utilityPorts } from '@tollbook/testing/utility/utility-ports'
import { readVisible } from './visible-rows.ts'

const LEASE_MS = 15_000
const DAY_MS = 86_400_000
/** Longer than the validity of an authorization of any of these endpoints. */
const LIFETIME_MS = 200_000

const folder = (service: string) => new URL(`../../apps/${service}/src/`, import.meta.url)
const services = await Promise.all(
  ['utility', 'social', 'inference'].map((service) => loadEndpoints(folder(service))),
)
export const paid = services.flat().filter(({ pricing }) => pricing.kind !== 'free')
/** What a process of these tests sells. */
export const changing = paid.filter(({ effect = 'none' }) => effect !== 'none')

export const titleOf = ({ method, path }: Endpoint) => `${method} ${path}`

/** A payer that has what the example changes, and a process that sells to it. */
export class Visit {
  readonly world: World
  readonly endpoint: Endpoint
  readonly payer: Payer
  readonly #session: Readonly<Record<string, string>>
  seller: Process

  private constructor(parts: Pick<Visit, 'world' | 'endpoint' | 'payer' | 'seller'>, session: object) {
    this.world = parts.world
    this.endpoint = parts.endpoint
    this.payer = parts.payer
    this.seller = parts.seller
    this.#session = { ...session }
  }

  static async begin(state: State, endpoint: Endpoint): Promise<Visit> {
    const world = createWorld(state)
    const place = { state, keys: testSessionKeys }
    const now = new Date(world.now())
    const { authToken, ct0 } = await issueSession(place, { userId: String(now.getTime()), grant: null, now })
    const seller = await startSeller(world)
    const session = { auth_token: authToken, ct0 }
    const visit = new Visit({ world, endpoint, seller, payer: world.newPayer() }, session)
    if (endpoint.path.includes('store') && !(endpoint.method === 'POST'))
      await visit.#prepare('/api/store/trades', { ticker: 'BTC' })
    if (endpoint.path.includes('scratchpad') && endpoint.method === 'DELETE')
      await visit.#prepare('/api/scratchpad/plan', { content: 'a' })
    // A write extends a collection to 60 days, and a read only extends what is less than 30.
    if (endpoint.method === 'GET') world.pass(40 * DAY_MS)
    return visit
  }

  async #prepare(path: string, body: object): Promise<void> {
    const init = {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    }
    const { headers } = await this.seller.pay(path, this.payer, { method: 'POST' })
    const response = await this.seller.fetch(path, { ...init, headers: { ...init.headers, ...headers } })
    assert.equal(response.status, 201)
  }

  /** The example as a request with a fresh payment. */
  async request() {
    const example = this.endpoint.example.input as Readonly<Record<string, unknown>>
    const input = 'auth_token' in example ? { ...example, ...this.#session } : example
    const [{ path, method, init }] = toRequests(this.endpoint, changing, input) as [
      { path: string; method: string; init: RequestInit },
    ]
    const { headers } = await this.seller.pay(path, this.payer, { method })
    return { path, init: { ...init, headers: { ...init.headers, ...headers } } }
  }

  /** Another process takes over this one's calls once the authorization has expired. */
  async succeed(): Promise<void> {
    this.seller = await startSeller(this.world)
    for (let rounds = 0; rounds < 6; rounds += 1) {
      this.world.pass(rounds < 2 ? LEASE_MS + 1_000 : LIFETIME_MS)
      await this.seller.gate.recover()
    }
  }

  isPaid(since: number): boolean {
    return this.world.chain.transfers.length > since
  }
}

function startSeller(world: World): Promise<Process> {
  const ports = { ...utilityPorts(world.state), ...socialPorts(world.state) }
  return world.startProcess({ leaseMs: LEASE_MS, strikes: 1_000 }, 100_000, changing, ports)
}

/** Reads the whole answer, or until it breaks. */
export async function finish(asked: Promise<Response>): Promise<number> {
  const response = await asked
  await response.text().catch(() => '')
  return response.status
}

/** Turns of the event loop after which callers disconnect; an answer takes fewer than 40. */
export type Disconnects = Readonly<Record<State['kind'], readonly number[]>>

/** Declares, for each staged change, the test of callers that disconnect after some numbers of turns. */
export function testDisconnects(turnsOf: Disconnects): void {
  for (const endpoint of changing.filter(({ effect }) => effect === 'staged'))
    onEveryState(
      `${titleOf(endpoint)} changes what was paid whenever its caller disconnects`,
      async (state) => {
        for (const turns of turnsOf[state.kind]) await disconnect(state, endpoint, turns)
      },
    )
}

async function disconnect(state: State, endpoint: Endpoint, turns: number): Promise<void> {
  const visit = await Visit.begin(state, endpoint)
  const { path, init } = await visit.request()
  const before = await readVisible(state)
  const transfers = visit.world.chain.transfers.length
  const leaving = new AbortController()
  const asked = finish(visit.seller.fetch(path, { ...init, signal: leaving.signal })).catch(() => 0)
  for (let at = 0; at < turns; at += 1) await turn()
  leaving.abort()
  await asked
  const isAsPaid = async () =>
    assert.equal((await readVisible(state)) !== before, visit.isPaid(transfers), `left after ${turns} turns`)
  await isAsPaid()
  await visit.succeed()
  await isAsPaid()
  visit.world.close()
}
