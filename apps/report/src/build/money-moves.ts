import type { Address } from '@tollbook/chain/hex'
import type { AtomicUsdc } from '@tollbook/chain/usdc'
import { BASE_CONTRACTS } from '@tollbook/verify/chain/contracts'
import { EVIDENCE } from '@tollbook/verify/chain/payment'
import type { FollowedWallets, IndirectPayment } from '@tollbook/verify/screen/flow/direct-moves'
import type { Move } from '@tollbook/verify/screen/flow/follow-shares'
import { toAddressSet } from '../ledger/address-literal.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { type Selection, whereRead, whereVisible } from './visible-payments.ts'

/** Limits the memory of a publication to some 100 MB; the largest sums come first. */
const MAX_EDGES = 200_000
/** About 300 MB; far more than the wallets between a merchant and its buyers move in a week. */
const MAX_MOVES = 1_000_000

export type MoneyEdge = {
  readonly sender: Address
  readonly recipient: Address
  readonly amount: AtomicUsdc
}

export type TransferSelection = Pick<Selection, 'window'> & {
  /** The attempts that hold transfers in either direction. */
  readonly attempts: readonly number[]
}

/**
 * Who sent to whom in a window, the largest sums first, as far as transfers were read. Money that passes an escrow goes
 * from its payer to the payee.
 */
export async function readEdges(
  ledger: Ledger,
  { window, attempts, coverage }: TransferSelection & Pick<Selection, 'coverage'>,
  signal: AbortSignal,
): Promise<readonly MoneyEdge[]> {
  const escrows = toAddressSet(BASE_CONTRACTS.custodians)
  const rows = await ledger.rows(
    `SELECT lower(hex(giver)), lower(hex(taker)), sum(part) AS moved FROM (
      SELECT sender AS giver, recipient AS taker, amount AS part FROM ${ledger.transfers.table}
      WHERE ${whereRead(window, attempts)} AND sender NOT IN ${escrows} AND recipient NOT IN ${escrows}
      UNION ALL
      SELECT buyer AS giver, merchant AS taker, amount AS part FROM ${ledger.escrowed}
      WHERE ${whereRead(window, coverage.attempts)}
    ) WHERE giver != taker GROUP BY giver, taker ORDER BY moved DESC, giver, taker LIMIT ${MAX_EDGES}`,
    signal,
  )
  return rows.map(([sender, recipient, amount = '0']) => ({
    sender: `0x${sender}`,
    recipient: `0x${recipient}`,
    amount: BigInt(amount),
  }))
}

export type MoveSelection = TransferSelection & {
  readonly origins: Iterable<Address>
  readonly wallets: readonly Address[]
}

/**
 * Every transfer out of origins, and out of wallets or into them, each once, in chain order. Transfers
 * into the origins are omitted: their source is outside the followed set.
 */
export async function readMoves(
  ledger: Ledger,
  { window, attempts, origins, wallets }: MoveSelection,
  signal: AbortSignal,
): Promise<readonly Move[]> {
  const senders = toAddressSet([...origins, ...wallets])
  const isInto = wallets.length === 0 ? '0' : `recipient IN ${toAddressSet(wallets)}`
  const { anyOf } = ledger.dialect
  // A transfer between two wallets is stored once for each direction.
  const rows = await ledger.rows(
    `SELECT block, log_index, lower(hex(${anyOf('tx')})), lower(hex(${anyOf('sender')})), lower(hex(${anyOf('recipient')})), ${anyOf('amount')}
    FROM ${ledger.transfers.table}
    WHERE ${whereRead(window, attempts)} AND (sender IN ${senders} OR ${isInto})
    GROUP BY block, log_index ORDER BY block, log_index LIMIT ${MAX_MOVES}`,
    signal,
  )
  return rows.map(([block, logIndex, transaction, sender, recipient, amount = '0']) => ({
    blockNumber: Number(block),
    logIndex: Number(logIndex),
    transaction: `0x${transaction}`,
    sender: `0x${sender}`,
    recipient: `0x${recipient}`,
    amount: BigInt(amount),
  }))
}

/**
 * The payments that `isFollowedPayment` selects for any of several merchants, in chain order: finding what left escrows
 * takes all payments of the window.
 */
export async function readIndirectPayments(
  ledger: Ledger,
  selection: Pick<Selection, 'coverage' | 'window' | 'method'>,
  of: readonly FollowedWallets[],
  signal: AbortSignal,
): Promise<readonly IndirectPayment[]> {
  const wallets = new Set(of.flatMap((each) => [...each.wallets]))
  if (wallets.size === 0) return []
  const origins = of.flatMap((each) => [...each.origins])
  const columns = 'block, log_index, tx, buyer, merchant, amount, evidence'
  const followed = toAddressSet(wallets)
  const rows = await ledger.rows(
    `SELECT block, log_index, lower(hex(tx)), lower(hex(buyer)), lower(hex(merchant)), amount, evidence FROM (
      SELECT ${columns} FROM ${ledger.table}
      WHERE ${whereVisible(selection)} AND merchant IN ${toAddressSet(of.map(({ merchant }) => merchant))}
        AND buyer IN ${followed}
        AND bitAnd(evidence, ${EVIDENCE.routed}) != 0
      UNION ALL
      SELECT ${columns} FROM ${ledger.escrowed}
      WHERE ${whereRead(selection.window, selection.coverage.attempts)}
        AND (buyer IN ${toAddressSet([...origins, ...wallets])} OR merchant IN ${followed})
    ) ORDER BY block, log_index LIMIT ${MAX_MOVES}`,
    signal,
  )
  return rows.map(([block, logIndex, transaction, buyer, payee, amount = '0', evidence]) => ({
    blockNumber: Number(block),
    logIndex: Number(logIndex),
    transaction: `0x${transaction}`,
    buyer: `0x${buyer}`,
    merchant: `0x${payee}`,
    amount: BigInt(amount),
    evidence: Number(evidence),
  }))
}

export type BuyerSelection = Pick<Selection, 'coverage' | 'window' | 'method' | 'outflowAttempts'> & {
  readonly max: number
  /** Only payments in transactions in which the merchant itself sent USDC out. */
  readonly isSameTransaction: boolean
}

/** The buyers of each merchant that sent USDC out in the window, or out of an escrow, those that paid most first. */
export async function readBuyersOfSenders(
  ledger: Ledger,
  selection: BuyerSelection,
  signal: AbortSignal,
): Promise<ReadonlyMap<Address, ReadonlySet<Address>>> {
  const { window, coverage, outflowAttempts } = selection
  const inTransaction = selection.isSameTransaction ? 'tx, ' : ''
  const own = `(${inTransaction}merchant_key)`
  const { isIn, anyOf } = ledger.dialect
  const sent = `SELECT ${inTransaction}sender_key FROM ${ledger.transfers.table} WHERE ${whereRead(window, outflowAttempts)}
    UNION ALL SELECT ${inTransaction}buyer_key FROM ${ledger.escrowed} WHERE ${whereRead(window, coverage.attempts)}`
  const rows = await ledger.rows(
    `SELECT lower(hex(${anyOf('merchant')})), lower(hex(${anyOf('buyer')})), sum(amount) AS paid_sum FROM ${ledger.table}
    WHERE ${whereVisible(selection)} AND ${own} ${isIn} (${sent}) AND merchant_key != buyer_key
    GROUP BY merchant_key, buyer_key ORDER BY paid_sum DESC, merchant_key, buyer_key LIMIT ${selection.max}`,
    signal,
  )
  return toSets(rows)
}

function toSets(rows: readonly (readonly string[])[]): ReadonlyMap<Address, ReadonlySet<Address>> {
  const sets = new Map<Address, Set<Address>>()
  for (const [merchant, buyer] of rows) {
    const own = sets.get(`0x${merchant}`) ?? new Set()
    sets.set(`0x${merchant}`, own.add(`0x${buyer}`))
  }
  return sets
}
