import { readFileSync } from 'node:fs'
import { parseUsd } from '@tollbook/chain/usdc'
import type { PaymentPath } from './demo-event.ts'
import { createDemoFacilitators, createDemoWallet, type DemoWallet } from './demo-wallet.ts'

/** A buyer and a merchant of the model day: how often and how much the buyer paid. */
export type Flow = {
  readonly buyer: DemoWallet
  readonly merchant: DemoWallet
  /** Rank of the merchant by its busiest flow, from 0. */
  readonly merchantRank: number
  /** How this merchant is paid, and who submits the transactions. */
  readonly path: PaymentPath
  readonly facilitator: DemoWallet
  readonly payments: number
  /** Average payment in micro-USDC; not an integer. */
  readonly meanAmount: number
}

/** Settlement paths by the rank of the merchant, so that busy merchants differ in how they are paid. */
const PATHS = ['bytes', 'batch', 'parts', 'upto', 'bytes', 'exact-permit2', 'parts', 'batch'] as const

const FILE = new URL('./data/x402-atlas-flows-base-2026-09-10-top.csv', import.meta.url)

/** The busiest pairs of one real day on Base, busiest first, mapped to our own wallets (data/SOURCE.md). */
export function loadFlows(): readonly Flow[] {
  const [, ...lines] = readFileSync(FILE, 'utf8').trim().split(/\r?\n/)
  const wallets = new Map<string, DemoWallet>()
  const ranks = new Map<string, number>()
  const walletOf = (realAddress: string) => {
    const wallet = wallets.get(realAddress) ?? createDemoWallet(realAddress)
    wallets.set(realAddress, wallet)
    return wallet
  }
  const facilitators = createDemoFacilitators()
  return lines.map((line) => {
    const [from = '', to = '', count = '', usd = ''] = line.split(',')
    const merchantRank = ranks.get(to) ?? ranks.size
    ranks.set(to, merchantRank)
    const payments = Number(count)
    return {
      buyer: walletOf(from),
      merchant: walletOf(to),
      merchantRank,
      path: pick(PATHS, merchantRank),
      facilitator: pick(facilitators, merchantRank),
      payments,
      meanAmount: Number(parseUsd(usd)) / payments,
    }
  })
}

/**
 * Bounds of the payments of a flow, micro-USDC: an average such as $0.02 is a price, any other one is that of
 * varying prices.
 */
export function rangeOf({ meanAmount }: Flow): { readonly min: number; readonly max: number } {
  const isPrice = Math.abs(meanAmount - Math.round(meanAmount)) < 0.001
  return isPrice ? { min: meanAmount, max: meanAmount } : { min: meanAmount * 0.5, max: meanAmount * 1.5 }
}

/** The entry at an index, modulo the length of the list. */
export function pick<T>(list: readonly T[], index: number): T {
  const picked = list[index % list.length]
  if (picked === undefined) throw new RangeError('the list is empty')
  return picked
}
