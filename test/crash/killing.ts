import { setTimeout as wait } from 'node:timers/promises'
import type { Random } from '@tollbook/devchain/demo-week/random'
import { chooseMoment, type Watch } from './moments.ts'
import type { Seller } from './seller.ts'
import type { Sellers } from './sellers.ts'

/** Share of the sellers that are killed while they start, and within what time. */
const EARLY_SHARE = 0.12
const EARLY_MS = 150

export type CrewOptions = {
  /** Starts a process that loads. */
  readonly start: () => Seller
  readonly sellers: Sellers
  readonly watch: Watch
  readonly random: Random
  readonly processes: number
  /** Whether the processes report the runs of handlers. */
  readonly reportsRuns?: boolean
  /** Awaited before a killed process is replaced. */
  readonly onKilled?: () => Promise<void>
}

/** Processes that are killed one after the other and replaced. */
export class Crew {
  readonly #options: CrewOptions
  readonly #places: { seller: Seller; opening: Promise<void> }[] = []
  /** Loads while others sell, so that the next start is fast. */
  #spare: Seller

  constructor(options: CrewOptions) {
    this.#options = options
    this.#spare = options.start()
  }

  /** Starts all of them. */
  async open(): Promise<void> {
    for (let place = 0; place < this.#options.processes; place += 1) {
      await this.#fill(place)
      await this.#places[place]?.opening
    }
  }

  /** Kills one of them, by default a random one. */
  async kill(chosen?: number): Promise<void> {
    const { random, watch, sellers, processes, reportsRuns = true, onKilled } = this.#options
    const place = chosen ?? Math.floor(random() * processes)
    const victim = this.#places[place]
    if (!victim) throw new Error('nobody sells')
    const isEarly = random() < EARLY_SHARE
    const earlyMs = random() * EARLY_MS
    const moment = chooseMoment(random, reportsRuns)
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
    await onKilled?.()
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

  /** Resolves when the seller at the place begins to start. */
  async #fill(place: number): Promise<void> {
    const seller = this.#spare
    await seller.loaded
    const opening = seller.open().then((url) => this.#options.sellers.opened(place, url))
    // Killed while it starts.
    opening.catch(() => {})
    this.#places[place] = { seller, opening }
    this.#spare = this.#options.start()
  }
}
