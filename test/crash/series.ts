import { setTimeout as wait } from 'node:timers/promises'
import { createRandom, type Random } from '@tollbook/devchain/demo-week/random'
import { complete } from './buyer.ts'
import { STREAMED } from './goods.ts'
import { Crew } from './killing.ts'
import { type Market, readBalances, slowDown } from './market.ts'
import { Watch } from './moments.ts'
import { type Purchase, present } from './purchase.ts'
import { countDeaths, describe, findViolations } from './reconcile.ts'
import { Sellers } from './sellers.ts'
import type { Shop } from './shop.ts'
import { readTransfers } from './transfers.ts'
import { type Challenges, makeWish, readChallenges } from './wishes.ts'

export type SeriesOptions = {
  readonly market: Market
  readonly shop: Shop
  /** Determines what is bought and when sellers are killed; not how the system schedules it. */
  readonly seed: number
  readonly kills: number
  /** Concurrent sellers. */
  readonly processes: 1 | 2
  /** Concurrent callers. */
  readonly buyers: number
  readonly onKill?: () => void
}

export type SeriesResult = {
  readonly calls: number
  readonly answers: number
  /** Calls that were open when a seller was killed, by their state. */
  readonly deaths: Readonly<Record<string, number>>
  readonly violations: readonly string[]
}

/** Everything that was started has ended by then, on a busy machine too: this is several times the lease. */
const REST_MS = 300_000
/** Calls whose payment is sent once more at the end. */
const MAX_REPEATED = 30
/** States in which a buffered call has not started to move money. */
const UNCHARGED: ReadonlySet<string> = new Set(['none', 'reserved', 'delivered', 'released'])
const FINAL: ReadonlySet<string> = new Set(['settled', 'settled-unfinished', 'released'])

/** Kills sellers while callers buy, lets everything finish, and balances the books. */
export async function playSeries(options: SeriesOptions): Promise<SeriesResult> {
  const series = new Series(options)
  const balances = await readBalances(options.market)
  try {
    await series.play()
  } finally {
    await series.close()
  }
  return series.balance(balances)
}

class Series {
  readonly #options: SeriesOptions
  readonly #random: Random
  readonly #sellers = new Sellers()
  readonly #purchases: Purchase[] = []
  readonly #putOff: Purchase[] = []
  readonly #violations: string[] = []
  readonly #crew: Crew
  #firstBlock = 0
  #isOver = false

  constructor(options: SeriesOptions) {
    const { market, shop, seed, processes } = options
    const watch = new Watch()
    this.#options = options
    this.#random = createRandom(seed)
    this.#crew = new Crew({
      ...options,
      start: () => shop.startSeller(watch.onRun),
      watch,
      sellers: this.#sellers,
      random: createRandom(seed ^ 0x6b696c6c),
      onKilled: async () => {
        await shop.atRest()
        if (processes === 1) await this.#noteDeaths()
      },
    })
    slowDown(market.proxy, createRandom(seed ^ 0x736c6f77), watch.onSending)
  }

  async play(): Promise<void> {
    const { market, kills, buyers, seed } = this.#options
    this.#firstBlock = Number(await market.chain.rpc.call('eth_blockNumber')) + 1
    await this.#crew.open()
    const challenges = await readChallenges(await this.#sellers.choose(this.#random))
    const buying = Array.from({ length: buyers }, (_, at) =>
      this.#keepBuying(challenges, at, createRandom(seed * 1_000 + at)),
    )
    for (let kill = 0; kill < kills; kill += 1) {
      await this.#crew.kill()
      this.#options.onKill?.()
    }
    this.#isOver = true
    // Buyers would wait forever for a seller that cannot open.
    await this.#crew.opened()
    await Promise.all(buying)
    await this.#comeBack()
    const ended = this.#purchases.filter(({ isEnding }) => !isEnding)
    await this.#untilRows(ended, ({ state }) => FINAL.has(state))
    await this.#repeat()
  }

  close(): Promise<void> {
    // If the series failed, its buyers would continue forever.
    this.#isOver = true
    this.#sellers.end()
    return this.#crew.close()
  }

  async balance(before: { readonly seller: bigint; readonly payers: bigint }): Promise<SeriesResult> {
    const { market, shop, seed } = this.#options
    const purchases = this.#purchases
    const books = { purchases, rows: await shop.readRows(), runs: shop.readRuns() }
    const transfers = await this.#transfers()
    const violations = [...this.#violations, ...findViolations({ ...books, transfers })]
    const earned = transfers.reduce((sum, { amount }) => sum + amount, 0n)
    const after = await readBalances(market)
    if (after.seller - before.seller !== earned || before.payers - after.payers !== earned)
      violations.push('balances moved by another sum than the transfers')
    return {
      calls: purchases.length,
      answers: purchases.filter(({ answer }) => answer !== null).length,
      deaths: countDeaths(purchases),
      violations: violations.map((words) => `seed ${seed}: ${words}`),
    }
  }

  async #keepBuying(challenges: Challenges, at: number, random: Random): Promise<void> {
    const { market, seed } = this.#options
    const payer = market.payers[at % market.payers.length]
    if (!payer) throw new Error('nobody pays')
    const wisher = { payer, challenges, random, seller: () => this.#sellers.choose(random) }
    for (let call = 1; !this.#isOver; call += 1) {
      const purchase = await makeWish(wisher, `${seed}-${at}-${call}`)
      this.#purchases.push(purchase)
      if ((await this.#complete(purchase, random, true)) === 'put-off') this.#putOff.push(purchase)
    }
  }

  async #complete(purchase: Purchase, random: Random, mayPutOff: boolean): Promise<'done' | 'put-off'> {
    try {
      const isNeverSent = (one: Purchase) => this.#isNeverSent(one)
      return await complete(purchase, { sellers: this.#sellers, random, mayPutOff, isNeverSent })
    } catch (error) {
      const { shop } = this.#options
      const books = { rows: await shop.readRows(), runs: shop.readRuns() }
      this.#violations.push(`${error instanceof Error ? error.message : error}: ${describe(purchase, books)}`)
      return 'done'
    }
  }

  async #isNeverSent({ nonce }: Purchase): Promise<boolean> {
    const { market, shop } = this.#options
    const row = (await shop.readRows()).get(nonce.toLowerCase())
    if (row?.state !== 'unknown') return false
    if (row.transaction === null) return true
    return (await market.chain.rpc.call('eth_getTransactionByHash', [row.transaction])) === null
  }

  /** With the only seller dead, nothing changes: the next seller finds what the ledger holds now. */
  async #noteDeaths(): Promise<void> {
    const { shop } = this.#options
    const rows = await shop.readRows()
    const runs = shop.readRuns()
    for (const purchase of this.#purchases) {
      if (purchase.answer !== null || purchase.refusal !== null) continue
      const row = rows.get(purchase.nonce.toLowerCase())
      purchase.deaths.push(row?.state ?? 'none')
      if (row?.isStored && !STREAMED.has(purchase.good))
        purchase.runsWhenStored ??= runs.get(purchase.id)?.length ?? 0
    }
  }

  /** Answers that nobody fetched are not charged; then they are fetched. */
  async #comeBack(): Promise<void> {
    const { shop, processes } = this.#options
    await this.#untilRows(
      this.#putOff,
      ({ owner, state }) => FINAL.has(state) || (owner === null && state !== 'reserved'),
    )
    const charged = new Set((await this.#transfers()).map(({ nonce }) => nonce?.toLowerCase()))
    const early = this.#putOff.filter(({ good, deaths, nonce }) => {
      const isUncharged = deaths.every((state) => UNCHARGED.has(state)) && !STREAMED.has(good)
      return processes === 1 && isUncharged && charged.has(nonce.toLowerCase())
    })
    const books = { rows: await shop.readRows(), runs: shop.readRuns() }
    this.#violations.push(
      ...early.map((purchase) => `charged before it was fetched: ${describe(purchase, books)}`),
    )
    await Promise.all(
      this.#putOff.map(async (purchase) => {
        purchase.isEnding = (await this.#complete(purchase, this.#random, false)) === 'put-off'
      }),
    )
  }

  /**
   * Waits until the rows of calls are as wanted; rows that stay otherwise are found when the books are
   * balanced.
   */
  async #untilRows(
    purchases: readonly Purchase[],
    isWanted: (row: { readonly state: string; readonly owner: string | null }) => boolean,
  ): Promise<void> {
    const untilMs = performance.now() + REST_MS
    for (;;) {
      const rows = await this.#options.shop.readRows()
      const isDone = purchases.every(({ nonce }) => {
        const row = rows.get(nonce.toLowerCase())
        return !row || isWanted(row)
      })
      if (isDone || performance.now() > untilMs) return
      await wait(50)
    }
  }

  /** Sends the payments of finished calls once more: stored answers are returned byte for byte. */
  async #repeat(): Promise<void> {
    const done = this.#purchases.filter(({ answer }) => answer !== null)
    const chosen = done.filter(() => this.#random() < MAX_REPEATED / done.length)
    const url = await this.#sellers.choose(this.#random)
    for (const purchase of chosen) {
      const outcome = await present(url, purchase)
      const isSame =
        outcome.kind === 'answered' &&
        outcome.text === purchase.answer?.text &&
        outcome.receipt?.transaction === purchase.answer.receipt?.transaction
      const isSpent = outcome.kind === 'refused' && outcome.code === 'payment_spent'
      if (STREAMED.has(purchase.good) ? isSpent || outcome.kind === 'answered' : isSame) continue
      this.#violations.push(`not given again: ${purchase.id} ${JSON.stringify(outcome).slice(0, 300)}`)
    }
  }

  #transfers() {
    const { market } = this.#options
    return readTransfers(market.chain.rpc, market.payTo, this.#firstBlock)
  }
}
