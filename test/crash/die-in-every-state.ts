import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { isExploring } from '@tollbook/testing/property'
import { insist } from './buyer.ts'
import { type Market, openMarket } from './market.ts'
import { type Purchase, present } from './purchase.ts'
import { findViolations } from './reconcile.ts'
import type { Seller } from './seller.ts'
import { openShop, type Row, type Shop } from './shop.ts'
import { readTransfers, type Transfer } from './transfers.ts'
import { type Challenges, type Order, readChallenges, sign } from './wishes.ts'

/** What has not arrived by then hangs. */
const MAX_MS = 300_000

type Place = { readonly seller: Seller; readonly url: string }

export type Dying = {
  /** One on SQLite that is replaced by another, or two with one key on one PostgreSQL. */
  readonly processes: 1 | 2
  readonly createDatabase?: () => Promise<string>
}

const SHARED_LEASE_MS = 4_000

/** States in which `npm test` kills one of two sellers, too; `npm run explore` kills it in every state. */
const SHARED = /^(reserved|settling: a transaction that was not sent)/

/** Declares a test for every state of a call in which its seller is killed. */
export function dieInEveryState({ processes, createDatabase }: Dying): void {
  const kill = (name: string, work: () => Promise<void>) => {
    if (processes === 1 || isExploring || SHARED.test(name)) test(name, work)
  }
  let market: Market
  let shop: Shop
  let challenges: Challenges
  let spare: Seller
  /** The sellers: the first is killed next. */
  let places: Place[] = []
  const purchases: Purchase[] = []
  let firstBlock = 0

  before(async () => {
    market = await openMarket(1)
    // The other seller must not take over while a slow machine delays the heartbeat of the victim.
    const leaseMs = processes === 2 ? SHARED_LEASE_MS : undefined
    shop = await openShop(market, await createDatabase?.(), undefined, leaseMs)
    for (const { address } of market.payers) await shop.makeRegular(address)
    firstBlock = Number(await market.chain.rpc.call('eth_blockNumber')) + 1
    spare = shop.startSeller()
    for (let at = 0; at < processes; at += 1) places.push(await openNext())
    challenges = await readChallenges(places[0]?.url ?? '')
  })
  after(async () => {
    await Promise.all([spare, ...places.map(({ seller }) => seller)].map((seller) => seller?.kill()))
    await shop?.close()
    await market?.close()
  })

  async function openNext(): Promise<Place> {
    const seller = spare
    spare = shop.startSeller()
    return { seller, url: await seller.open() }
  }

  /**
   * Kills the seller that received the request; returns the other one, or its replacement if there was no
   * other.
   */
  async function succeed(): Promise<Place> {
    const [victim, ...others] = places
    await victim?.seller.kill()
    market.proxy.setFate(() => 'forward')
    await shop.atRest()
    places = [...others, await openNext()]
    return first()
  }

  function first(): Place {
    const [place] = places
    assert.ok(place)
    return place
  }

  async function order(id: string, wanted: Order): Promise<Purchase> {
    const [payer] = market.payers
    assert.ok(payer)
    const purchase = await sign({ payer, challenges, id: `${id}-${processes}`, isNamed: true }, wanted)
    purchases.push(purchase)
    return purchase
  }

  const rowOf = async ({ nonce }: Purchase) => (await shop.readRows()).get(nonce)

  async function untilRow(purchase: Purchase, isWanted: (row: Row) => boolean): Promise<Row> {
    return until(async () => {
      const row = await rowOf(purchase)
      return row && isWanted(row) ? row : null
    })
  }

  const untilRun = ({ id }: Purchase, count: number) =>
    until(async () => ((shop.readRuns().get(id)?.length ?? 0) >= count ? true : null))

  /** Repeats the request until the seller starts; returns its outcome. */
  async function askUntilRun(
    purchase: Purchase,
    { url }: Place,
    count: number,
  ): Promise<{ readonly end: Promise<unknown> }> {
    const begun = untilRun(purchase, count)
    for (;;) {
      const end = present(url, purchase)
      const isOver = await Promise.race([begun.then(() => false), end.then(() => true)])
      if (!isOver) return { end }
    }
  }

  async function transfersOf({ nonce }: Purchase): Promise<readonly Transfer[]> {
    const transfers = await readTransfers(market.chain.rpc, market.payTo, firstBlock)
    return transfers.filter((transfer) => transfer.nonce === nonce)
  }

  /** The caller retries, is answered once and charged once. */
  async function holds(
    purchase: Purchase,
    seller: Place,
    expected: { readonly runs: number },
  ): Promise<void> {
    await insist(seller.url, purchase)
    assert.ok(purchase.answer, `refused as ${purchase.refusal}`)
    await untilRow(purchase, ({ state }) => state === 'settled')
    assert.equal(shop.readRuns().get(purchase.id)?.length, expected.runs)
    const transfers = await transfersOf(purchase)
    const books = { purchases: [purchase], rows: await shop.readRows(), runs: shop.readRuns(), transfers }
    assert.deepEqual(findViolations(books), [])
  }

  /** A held call whose handler is running, as the ledger records. */
  async function reserve(id: string): Promise<{ purchase: Purchase; asked: Promise<unknown> }> {
    const price = { min: 1_000n, max: 1_000n }
    const purchase = await order(id, { good: 'quick', query: { isHeld: true }, price })
    const asked = present(first().url, purchase)
    await untilRun(purchase, 1)
    assert.equal((await rowOf(purchase))?.state, 'reserved')
    return { purchase, asked }
  }

  kill('reserved: the handler runs again, and is charged once', async () => {
    const { purchase, asked } = await reserve('reserved')
    const heir = await succeed()
    await asked
    heir.seller.goOn(purchase.id)
    await holds(purchase, heir, { runs: 2 })
  })

  kill(
    'delivered: nothing is charged before the caller returns, who then gets the stored answer',
    async () => {
      const { purchase, asked } = await reserve('delivered')
      market.proxy.setFate(() => 'stall')
      first().seller.goOn(purchase.id)
      await untilRow(purchase, ({ state }) => state === 'delivered')
      const heir = await succeed()
      await asked
      await untilRow(purchase, ({ owner, state }) => state === 'delivered' && owner === null)
      assert.deepEqual(await transfersOf(purchase), [])
      await holds(purchase, heir, { runs: 1 })
    },
  )

  kill('settling: a transaction that was not sent is not lost, and not sent twice', async () => {
    const { purchase, asked } = await reserve('settling')
    market.proxy.setFate((methods) => (methods.includes('eth_sendRawTransaction') ? 'stall' : 'forward'))
    first().seller.goOn(purchase.id)
    const { transaction } = await untilRow(purchase, ({ state }) => state === 'settling')
    assert.ok(transaction)
    const heir = await succeed()
    await asked
    await holds(purchase, heir, { runs: 1 })
  })

  kill('settling: a transaction whose receipt the seller did not see is found', async () => {
    const { purchase, asked } = await reserve('mined')
    market.proxy.setFate((methods) => {
      if (methods.includes('eth_sendRawTransaction')) return 'swallow'
      return methods.includes('eth_getTransactionReceipt') ? 'stall' : 'forward'
    })
    first().seller.goOn(purchase.id)
    const transfer = await until(async () => (await transfersOf(purchase))[0] ?? null)
    assert.equal((await rowOf(purchase))?.state, 'settling')
    const heir = await succeed()
    await asked
    await holds(purchase, heir, { runs: 1 })
    assert.equal(purchase.answer?.receipt?.transaction, transfer.transaction)
  })

  kill('settled: the answer that was in transit is sent again', async () => {
    const price = { min: 4_000n, max: 4_000n }
    const purchase = await order('settled', { good: 'large', query: {}, price })
    const { headers, path } = purchase
    const response = await fetch(`${first().url}${path}`, { headers })
    assert.equal(response.status, 200)
    assert.equal((await rowOf(purchase))?.state, 'settled')
    const heir = await succeed()
    await response.body?.cancel()
    await holds(purchase, heir, { runs: 1 })
    assert.ok((purchase.answer?.text.length ?? 0) > 1_000_000)
  })

  kill(
    'streaming by the piece: the delivered pieces are charged, and the whole stream is then free',
    async () => {
      const query = { pieces: 40, everyMs: 100 }
      const price = { min: 1_500n, max: 19_500n }
      const purchase = await order('streaming', { good: 'dictation', query, price })
      const asked = present(first().url, purchase)
      // Recorded after a second: ten pieces or fewer, each 500 micro-USDC; three seconds remain to kill it in.
      const { charge } = await untilRow(
        purchase,
        ({ state, charge }) => state === 'streaming' && (charge ?? 0) > 1_000,
      )
      const heir = await succeed()
      assert.match((await asked).kind, /broken/)
      await untilRow(purchase, ({ state }) => state === 'settled-unfinished')
      const [transfer] = await transfersOf(purchase)
      assert.equal(transfer?.amount, BigInt(charge ?? 0))
      await holds(purchase, heir, { runs: 2 })
    },
  )

  kill(
    'streaming at a price: a charged caller gets the whole stream, however often sellers die',
    async () => {
      const query = { pieces: 30, everyMs: 60 }
      const purchase = await order('radio', { good: 'radio', query, price: { min: 5_000n, max: 5_000n } })
      const asked = present(first().url, purchase)
      await untilRow(purchase, ({ state }) => state === 'settled-unfinished')
      const heir = await succeed()
      await asked
      const again = await askUntilRun(purchase, heir, 2)
      const last = await succeed()
      await again.end
      await holds(purchase, last, { runs: 3 })
    },
  )
}

async function until<Found>(look: () => Promise<Found | null>): Promise<Found> {
  const untilMs = performance.now() + MAX_MS
  for (;;) {
    const found = await look()
    if (found !== null) return found
    if (performance.now() > untilMs) throw new Error('what was waited for did not come')
    await wait(5)
  }
}
