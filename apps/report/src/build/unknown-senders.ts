import type { Address } from '@tollbook/chain/hex'
import { EVIDENCE } from '@tollbook/verify/chain/payment'
import type { Ledger } from '../ledger/ledger.ts'
import { type Selection, whereRead } from './visible-payments.ts'

/** A wallet outside the list of facilitators that settled payments of others. */
export type UnknownSender = {
  readonly address: Address
  readonly payments: number
  readonly merchants: number
  /** Whole dollars, rounded down. */
  readonly usd: number
}

/** Chosen: a merchant that settles for itself has one payee; a facilitator has many payments of several. */
const MIN_PAYMENTS = 100
const MIN_MERCHANTS = 3
const MAX_SENDERS = 20
const MICRO_USDC = 1_000_000

/** Candidates for the list of facilitators: unlisted senders of many authorized transfers, busiest first. */
export async function readUnknownSenders(
  ledger: Ledger,
  { coverage, window }: Pick<Selection, 'coverage' | 'window'>,
  signal: AbortSignal,
): Promise<readonly UnknownSender[]> {
  const rows = await ledger.rows(
    `SELECT lower(hex(facilitator)), count(), uniqExact(merchant), intDiv(sum(amount), ${MICRO_USDC})
    FROM ${ledger.table} WHERE ${whereRead(window, coverage.attempts)} AND evidence = ${EVIDENCE.authorizationUsed}
    GROUP BY facilitator HAVING count() >= ${MIN_PAYMENTS} AND uniqExact(merchant) >= ${MIN_MERCHANTS}
    ORDER BY count() DESC, facilitator LIMIT ${MAX_SENDERS}`,
    signal,
  )
  return rows.map(([address = '', payments, merchants, usd]) => ({
    address: `0x${address}`,
    payments: Number(payments),
    merchants: Number(merchants),
    usd: Number(usd),
  }))
}
