import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import type { Endpoint } from '../../src/catalogue/endpoint.ts'
import { loadEndpoints } from '../../src/catalogue/load.ts'
import { issueSession } from '../../src/social/session/session-store.ts'
import type { State } from '../../src/state/state.ts'
import { toRequests } from '../catalogue/example-requests.ts'
import { createWorld, type Process, type World } from '../payments/gate-world.ts'
import type { Place } from '../payments/memory-chain.ts'
import type { Payer } from '../payments/sign-payment.ts'
import { socialPorts, testSessionKeys } from '../social/open-social.ts'
import { onEveryState } from '../state/every-state.ts'
import { utilityPorts } from '../utility/utility-ports.ts'
import { readVisible } from './visible-rows.ts'

const folder = (service: string) => new URL(`../../src/${service}/`, import.meta.url)
const [utility, social, inference] = await Promise.all(
  ['utility', 'social', 'inference'].map((service) => loadEndpoints(folder(service))),
)
assert.ok(utility && social && inference)
const all = [...utility, ...social]
const paid = [...all, ...inference].filter(({ pricing }) => pricing.kind !== 'free')
const LEASE_MS = 15_000
const DAY_MS = 86_400_000
/** Longer than the validity of an authorization of any of these endpoints. */
const LIFETIME_MS = 200_000

/** A paid write of the specification; every other method than GET is found without being listed here. */
const WRITES = [
  'DELETE /api/scratchpad/{name}',
  'DELETE /api/store/{collection}',
  'DELETE /api/store/{collection}/{id}',
  'GET /api/store/export',
  'GET /api/store/{collection}',
  'GET /api/store/{collection}/{id}',
  'PATCH /api/store/{collection}/{id}',
  'POST /api/scratchpad/{name}',
  'POST /api/store/{collection}',
  'POST /tweets/mediaUpload',
  'PUT /api/scratchpad/{name}',
  'PUT /api/store/{collection}/{id}',
]

const titleOf = ({ method, path }: Endpoint) => `${method} ${path}`

test('every paid endpoint that changes something declares it, and every method other than GET declares its effect', () => {
  const changing = paid.filter(({ effect = 'none' }) => effect !== 'none')
  assert.deepEqual(changing.map(titleOf).toSorted(), WRITES.toSorted())
  const silent = paid.filter(({ method, effect }) => method !== 'GET' && effect === undefined)
  assert.deepEqual(silent.map(titleOf), [])
})

/** A payer that has what the example changes, and a process that sells to it. */
class Visit {
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
    const [{ path, method, init }] = toRequests(this.endpoint, all, input) as [
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
  return world.startProcess({ leaseMs: LEASE_MS, strikes: 1_000 }, 100_000, all, ports)
}

/** Reads the whole answer, or until it breaks. */
async function finish(asked: Promise<Response>): Promise<number> {
  const response = await asked
  await response.text().catch(() => '')
  return response.status
}

const changing = paid.filter(({ effect = 'none' }) => effect !== 'none')

for (const endpoint of changing) {
  onEveryState(`${titleOf(endpoint)} changes nothing when its settlement fails`, async (state) => {
    const visit = await Visit.begin(state, endpoint)
    const { path, init } = await visit.request()
    const before = await readVisible(state)
    visit.seller.link.pause = async (place) => {
      if (place === 'settle') visit.world.chain.fund(visit.payer.address, 0n)
    }
    assert.equal(await finish(visit.seller.fetch(path, init)), 402)
    assert.equal(await readVisible(state), before)
    visit.seller.link.pause = async () => {}
    visit.world.chain.fund(visit.payer.address, 1_000_000n)
    const paidAgain = await visit.request()
    const status = await finish(visit.seller.fetch(paidAgain.path, paidAgain.init))
    assert.ok(status < 300, `${status}`)
    assert.notEqual(await readVisible(state), before, 'the paid call changed nothing')
    visit.world.close()
  })

  for (const place of ['settle', 'sent', 'mined'] as const satisfies readonly Place[])
    onEveryState(
      `${titleOf(endpoint)} changes what was paid when its process dies at ${place}`,
      async (state) => {
        const visit = await Visit.begin(state, endpoint)
        const { path, init } = await visit.request()
        const before = await readVisible(state)
        const transfers = visit.world.chain.transfers.length
        const reached = Promise.withResolvers<void>()
        visit.seller.link.pause = async (reachedPlace) => {
          if (reachedPlace === place) reached.resolve()
        }
        visit.seller.link.dieAt = place
        // It never answers.
        visit.seller.fetch(path, init).catch(() => {})
        await reached.promise
        assert.equal(await readVisible(state), before, 'a change was visible before its settlement')
        await visit.succeed()
        const isPaid = visit.isPaid(transfers)
        // A live answer that died before its first byte changed nothing yet; its payer may have it once more.
        const isChanged = isPaid && endpoint.effect === 'staged'
        assert.equal((await readVisible(state)) !== before, isChanged, `paid: ${isPaid}`)
        assert.equal(isPaid, place === 'mined')
        visit.world.close()
      },
    )
}

for (const endpoint of changing.filter(({ effect }) => effect === 'staged')) {
  onEveryState(
    `${titleOf(endpoint)} changes what was paid whenever its caller disconnects`,
    async (state) => {
      for (let turns = 0; turns < 40; turns += state.kind === 'sqlite' ? 4 : 10) {
        const visit = await Visit.begin(state, endpoint)
        const { path, init } = await visit.request()
        const before = await readVisible(state)
        const transfers = visit.world.chain.transfers.length
        const leaving = new AbortController()
        const asked = finish(visit.seller.fetch(path, { ...init, signal: leaving.signal })).catch(() => 0)
        for (let at = 0; at < turns; at += 1) await turn()
        leaving.abort()
        await asked
        assert.equal(
          (await readVisible(state)) !== before,
          visit.isPaid(transfers),
          `left after ${turns} turns`,
        )
        await visit.succeed()
        assert.equal(
          (await readVisible(state)) !== before,
          visit.isPaid(transfers),
          `left after ${turns} turns`,
        )
        visit.world.close()
      }
    },
  )
}
