import { setTimeout as wait } from 'node:timers/promises'
import type { Random } from '@tollbook/devchain/demo-week/random'
import type { Fate } from '@tollbook/testing/payments/rpc-proxy'

/** When a seller is killed: after some time, or together with something that it was just about to do. */
export type Moment = {
  readonly kind: 'time' | 'run' | 'sending'
  /** For a time: the delay after the start. Otherwise: the delay after the event. */
  readonly afterMs: number
  /** The number of the run or transaction. */
  readonly count: number
  /** Whether the transaction at which the seller dies still reaches the chain. */
  readonly fate: Fate
}

/** An event that has not happened by then is not awaited. */
const MAX_MS = 2_000

/** Half of the kills happen at any time, the others close to a handler's run or to a transaction. */
export function chooseMoment(random: Random, hasRuns = true): Moment {
  const chance = random()
  const kind = chance < 0.5 ? 'time' : hasRuns && chance < 0.7 ? 'run' : 'sending'
  const maxMs = kind === 'time' ? (random() < 0.3 ? 1_500 : 600) : 25
  return {
    kind,
    // A fifth of the kills at an event happen without delay.
    afterMs: kind !== 'time' && random() < 0.2 ? 0 : random() * maxMs,
    count: 1 + Math.floor(random() * 8),
    fate: random() < 0.5 ? 'stall' : 'forward',
  }
}

/** Observes the sellers and reports when a moment has come. */
export class Watch {
  #awaited: { readonly moment: Moment; left: number; readonly come: () => void } | null = null

  onRun = (): void => {
    this.#see('run')
  }

  /** Decides whether a transaction arrives. */
  onSending = (): Fate => {
    const awaited = this.#awaited
    return this.#see('sending') && awaited ? awaited.moment.fate : 'forward'
  }

  /** Calls `act` at the moment, synchronously with the event if there is no delay. */
  async at(moment: Moment, act: () => void): Promise<void> {
    if (moment.kind === 'time') {
      await wait(moment.afterMs)
      return act()
    }
    const { promise, resolve } = Promise.withResolvers<void>()
    const come = () => {
      if (moment.afterMs === 0) act()
      resolve()
    }
    this.#awaited = { moment, left: moment.count, come }
    const longest = new AbortController()
    await Promise.race([promise, wait(MAX_MS, undefined, { signal: longest.signal }).catch(() => {})])
    longest.abort()
    this.#awaited = null
    await wait(moment.afterMs)
    act()
  }

  /** Whether this was the awaited event. */
  #see(kind: Moment['kind']): boolean {
    const awaited = this.#awaited
    if (awaited?.moment.kind !== kind) return false
    awaited.left -= 1
    if (awaited.left !== 0) return false
    awaited.come()
    return true
  }
}
