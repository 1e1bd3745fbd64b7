import type { Address, Hex } from '../../chain/hex.ts'
import type { AtomicUsdc } from '../../money/usdc.ts'
import { toAddressLiteral } from '../ledger/address-literal.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { PaymentsDropped } from '../ledger/payments-dropped.ts'
import { selectFlaggedWallets } from './flagged-pairs.ts'
import { type Selection, whereVisible } from './visible-payments.ts'

/** One payment of a merchant's window, and the kind of flag under which it counts; null when it passes. */
export type ScreenedPayment = {
  readonly blockNumber: number
  readonly logIndex: number
  /** Block time in epoch seconds. */
  readonly timestamp: number
  readonly transaction: Hex
  readonly buyer: Address
  readonly amount: AtomicUsdc
  /** What routers, or an escrow, kept; absent: nothing. */
  readonly fee?: AtomicUsdc
  readonly flag: string | null
}

/** About 4 MB of text per page. */
const ROWS_PER_PAGE = 20_000

/** Reads every payment behind a merchant's figures, in chain order. @throws PaymentsDropped */
export async function* readEvidence(
  ledger: Ledger,
  selection: Omit<Selection, 'table' | 'transferTable'> & { readonly merchant: Address },
  signal: AbortSignal,
): AsyncGenerator<ScreenedPayment> {
  const { droppedUntil = 0 } = selection.coverage
  if (selection.window.start < droppedUntil)
    throw new PaymentsDropped("the payments of this window are older than the ledger's retention")
  const own = `${whereVisible(selection)} AND merchant = ${toAddressLiteral(selection.merchant)}`
  const visible = { ...selection, table: ledger.table, transferTable: ledger.transfers.table }
  const flagged = await readFlaggedBuyers(ledger, visible, signal)
  const { screens, inputs } = selection.method
  let after = ''
  for (;;) {
    const rows = await ledger.rows(
      `SELECT block, log_index, ts, lower(hex(tx)), lower(hex(buyer)), amount, fee
      FROM ${ledger.table} WHERE ${own}${after} ORDER BY block, log_index LIMIT ${ROWS_PER_PAGE}`,
      signal,
    )
    for (const [block, logIndex, time, transaction = '', buyer = '', amountText = '0', fee = '0'] of rows) {
      const amount = BigInt(amountText)
      const place = { blockNumber: Number(block), logIndex: Number(logIndex) }
      const payment = { ...place, merchant: selection.merchant, buyer: `0x${buyer}` as const, amount }
      const screen = screens.find((each, at) => flagged[at]?.has(buyer) && each.isCandidate(payment, inputs))
      yield {
        ...place,
        timestamp: Number(time),
        transaction: `0x${transaction}`,
        buyer: `0x${buyer}`,
        amount,
        ...(fee !== '0' && { fee: BigInt(fee) }),
        flag: screen?.kind ?? null,
      }
    }
    const last = rows.at(-1)
    if (!last || rows.length < ROWS_PER_PAGE) return
    after = ` AND (block > ${last[0]} OR (block = ${last[0]} AND log_index > ${last[1]}))`
  }
}

/** The buyers of each screen whose candidates it flags, as hex without `0x`. */
async function readFlaggedBuyers(
  ledger: Ledger,
  selection: Selection & { readonly merchant: Address },
  signal: AbortSignal,
): Promise<readonly ReadonlySet<string>[]> {
  return Promise.all(
    selection.method.screens.map(async (screen) => {
      const rows = await ledger.rows(selectFlaggedWallets(selection, screen), signal)
      return new Set(rows.map(([, buyer = '']) => buyer))
    }),
  )
}
