import type { World } from './world.ts'

/** One attack on a running product, bounded in count and time. */
export type Attack = {
  /** As `--only` names it. */
  readonly name: string
  readonly summary: string
  /** Whether the seller counts gas in dollars: with the tips of the dev chain it then sells hardly anything. */
  readonly gasHasPrice?: true
  /** @param note prints progress. */
  readonly run: (world: World, note: (words: string) => void) => Promise<Outcome>
}

export type Outcome = Costs | Delay

/** Of an attack on money: what both sides spent, in dollars. */
export type Costs = {
  readonly kind: 'costs'
  /** Gas of the attacker and what the seller received from it. */
  readonly attackerUsd: number
  /** Gas, upstream tokens and processor time of the seller. */
  readonly sellerUsd: number
  readonly receivedUsd: number
  readonly setting: Readonly<Record<string, string | number>>
}

/** Of an attack on other callers: how long they waited for `/healthz`, in milliseconds. */
export type Delay = {
  readonly kind: 'delay'
  readonly p99Ms: number
  readonly p99BeforeMs: number
  readonly setting: Readonly<Record<string, string | number>>
}
