import type { World } from './world.ts'

/** One attack on a running product, bounded in count and time. */
export type Attack = {
  /** Name for `--only`. */
  readonly name: string
  readonly summary: string
  /** Dollars for an ETH, by which the seller prices gas; absent: gas of the dev chain is free. */
  readonly ethUsd?: number
  /** @param note prints progress. */
  readonly run: (world: World, note: (words: string) => void) => Promise<Outcome>
}

export type Outcome = Costs | Delay | Memory

/** Result of an attack on money: what both sides spent, in dollars. */
export type Costs = {
  readonly kind: 'costs'
  /** Gas paid by the attacker, and payments that reached the seller. */
  readonly attackerUsd: number
  /** The seller's gas, upstream tokens and processor time. */
  readonly sellerUsd: number
  readonly receivedUsd: number
  readonly setting: Readonly<Record<string, string | number>>
}

/** Result of an attack on other callers: their latency on `/healthz`, in milliseconds. */
export type Delay = {
  readonly kind: 'delay'
  readonly p99Ms: number
  readonly p99BeforeMs: number
  readonly setting: Readonly<Record<string, string | number>>
}

/** Result of an attack on memory: the largest resident memory of the product meanwhile, and before, in MB. */
export type Memory = {
  readonly kind: 'memory'
  readonly peakMb: number
  readonly beforeMb: number
  readonly setting: Readonly<Record<string, string | number>>
}
