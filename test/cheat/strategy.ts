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
