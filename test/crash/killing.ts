import { setTimeout as wait } from 'node:timers/promises'
import type { Random } from '../../src/devchain/demo-week/random.ts'
import { STREAMED } from './goods.ts'
import { chooseMoment, type Watch } from './moments.ts'
import type { Purchase } from './purchase.ts'
import type { Seller } from './seller.ts'
import type { Sellers } from './sellers.ts'
import type { Shop } from './shop.ts'

/** Share of the sellers that are killed while they start, and within what time. */
const EARLY_SHARE = 0.12
const EARLY_MS = 150

export type KillingOptions = {
  readonly shop: Shop
  readonly sellers: Sellers
  readonly watch: Watch
  readonly random: Random
  readonly processes: number
  /** The purchases; the killer records the state of each open call. */
  readonly purchases: readonly Purchase[]
}

/** Sellers that are killed one after the other and replaced. */
export class Crew {
  readonly #options: KillingOptions
  readonly #places: { seller: Seller; opening: Promise<void> }[] = []
  /** Loads while others sell, so that the next start is fast. */
  #spare: Seller

  constructor(options: KillingOptions) {
    this.#options = options
    this.#spare = this.#load()
  }

  /** Starts all of them. */
  async open(): Promise<void> {
    for (let place = 0; place < this.#options.processes; place += 1) {
      await this.#fill(place)
      await this.#places[place]?.opening
    }
  }

  async kill(): Promise<void> {
    const { random, watch, sellers, shop, processes } = this.#options
    const place = Math.floor(random() * processes)
    const victim = this.#places[place]
    if (!victim) throw new Error('nobody sells')
    const isEarly = random() < EARLY_SHARE
    const earlyMs = random() * EARLY_MS
    const moment = chooseMoment(random)
    let killed: Promise<void> | undefined
    const act = () => {
      killed ??= victim.seller.kill()
    }
    if (isEarly) await wait(earlyMs).then(act)
    else {
      await victim.opening
      await watch.at(moment, act)
    }
    await killed
    sellers.closed(place)
    await shop.atRest()
    if (processes === 1) await this.#noteDeaths()
    await this.#fill(place)
  }

  /** Resolves when all of them are open. @throws the output of a process that ended before it was open. */
  async opened(): Promise<void> {
    await Promise.all(this.#places.map(({ opening }) => opening))
  }

  async close(): Promise<void> {
    await Promise.all(
      [this.#spare, ...this.#places.map(({ seller }) => seller)].map((seller) => seller.kill()),
    )
  }

  #load(): Seller {
    return this.#options.shop.startSeller(this.#options.watch.onRun)
  }

  /** Resolves when the seller at the place begins to start. */
  async #fill(place: number): Promise<void> {
    const seller = this.#spare
    await seller.loaded
    const opening = seller.open().then((url) => this.#options.sellers.opened(place, url))
    // Killed while it starts.
    opening.catch(() => {})
    this.#places[place] = { seller, opening }
    this.#spare = this.#load()
  }

  /** With the only seller dead, nothing changes: the next seller finds what the ledger holds now. */
  async #noteDeaths(): Promise<void> {
    const { shop, purchases } = this.#options
    const rows = await shop.readRows()
    const runs = shop.readRuns()
    for (const purchase of purchases) {
      if (purchase.answer !== null || purchase.refusal !== null) continue
      const row = rows.get(purchase.nonce.toLowerCase())
      purchase.deaths.push(row?.state ?? 'none')
      if (row?.isStored && !STREAMED.has(purchase.good))
        purchase.runsWhenStored ??= runs.get(purchase.id)?.length ?? 0
    }
  }
}
