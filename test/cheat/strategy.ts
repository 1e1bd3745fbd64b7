import type { Address } from '@tollbook/chain/hex'
import type { Town } from './town.ts'

/** A way to make revenue look real. */
export type Strategy = {
  readonly name: string
  readonly summary: string
  /** Plays one week with a budget in dollars. */
  play(town: Town, budgetUsd: number): void
}

/** Costs grow with the rounds, and so does the revenue: a few show the price of a dollar. */
export const ROUNDS = 20
export const WEEK_HOURS = 168
export const MINUTE_HOURS = 1 / 60

/** The same capital goes round once a minute. */
export function playRounds(town: Town, usd: number, play: () => void): void {
  for (let round = 0; round < ROUNDS; round += 1) play()
  town.lock(usd, ROUNDS * MINUTE_HOURS)
}

export type Round = { readonly shop: Address; readonly mule: Address; readonly buyer: Address }

/** Rounds in which the merchant gives what a fresh buyer paid to a mule, from which the next buyer has it. */
export function playMule(town: Town, usd: number, buy: (round: Round) => void, mule = town.wallet()): void {
  const shop = town.wallet()
  playRounds(town, usd, () => {
    buy({ shop, mule, buyer: town.wallet() })
    town.send(shop, mule, usd)
  })
}
