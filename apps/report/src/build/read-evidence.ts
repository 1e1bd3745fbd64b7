import type { Address } from '@tollbook/chain/hex'
import type { Payment } from '@tollbook/verify/chain/payment'
import { toAddressLiteral } from '../ledger/address-literal.ts'
import { PaymentsDropped } from '../ledger/coverage/coverage.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { selectFlaggedWallets } from './flagged-pairs.ts'
import { type Criteria, type Selection, selectFrom, whereVisible } from './visible-payments.ts'

/** One payment of a merchant's window, and the kind of flag under which it counts; null when it passes. */
export type ScreenedPayment = Omit<Payment, 'merchant' | 'facilitator' | 'evidence'> & {
  readonly flag: string | null
}

/** About 4 MB of text per page. */
const ROWS_PER_PAGE = 20_000

/** Reads every payment behind a merchant's figures, in chain order. @throws PaymentsDropped */
export async function* readEvidence(
  ledger: Ledger,
  selection: Criteria & { readonly merchant: Address },
  signal: AbortSignal,
): AsyncGenerator<ScreenedPayment> {
  const { droppedUntil = 0 } = selection.coverage
  if (selection.window.start < droppedUntil)
    throw new PaymentsDropped("the payments of this window are older than the ledger's retention")
  const own = selectFrom(ledger, selection)
  const flagged = await readFlaggedPairs(ledger, own, signal)
  for await (const rows of readPages(ledger, own, signal))
    for (const row of rows) yield toScreenedPayment(row, selection.method, flagged)
}

/** Rows of EVIDENCE_COLUMNS. */
export type Page = readonly (readonly string[])[]

/** Reads the payments of one merchant, in chain order. */
export async function* readPages(
  ledger: Ledger,
  selection: Selection & { readonly merchant: Address },
  signal: AbortSignal,
): AsyncGenerator<Page> {
  const own = `${whereVisible(selection)} AND merchant = ${toAddressLiteral(selection.merchant)}`
  let after = ''
  for (;;) {
    const rows = await ledger.rows(
      `SELECT ${EVIDENCE_COLUMNS} FROM ${ledger.table}
      WHERE ${own}${after} ORDER BY block, log_index LIMIT ${ROWS_PER_PAGE}`,
      signal,
    )
    yield rows
    const last = rows.at(-1)
    if (!last || rows.length < ROWS_PER_PAGE) return
    const [, block, logIndex] = last
    after = ` AND (block > ${block} OR (block = ${block} AND log_index > ${logIndex}))`
  }
}

/** What `toScreenedPayment` reads of a row. */
export const EVIDENCE_COLUMNS =
  'lower(hex(merchant)), block, log_index, ts, lower(hex(tx)), lower(hex(buyer)), amount, fee'

/** A row of EVIDENCE_COLUMNS with its flag. */
export function toScreenedPayment(
  row: readonly string[],
  { screens, inputs }: Selection['method'],
  flagged: FlaggedPairs,
): ScreenedPayment {
  const [merchant = '', block, logIndex, time, transaction = '', buyer = '', amountText = '0', fee = '0'] =
    row
  const amount = BigInt(amountText)
  const place = { blockNumber: Number(block), logIndex: Number(logIndex) }
  const payment = { ...place, merchant: `0x${merchant}`, buyer: `0x${buyer}`, amount } as const
  const pair = merchant + buyer
  const screen = screens.find((each, at) => flagged[at]?.has(pair) && each.isCandidate(payment, inputs))
  return {
    ...place,
    timestamp: Number(time),
    transaction: `0x${transaction}`,
    buyer: payment.buyer,
    amount,
    ...(fee !== '0' && { fee: BigInt(fee) }),
    flag: screen?.kind ?? null,
  }
}

/** Pairs by the index of the screen whose candidates it flags: hex of merchant and buyer without `0x`. */
type FlaggedPairs = readonly ReadonlySet<string>[]

export async function readFlaggedPairs(
  ledger: Ledger,
  selection: Selection & { readonly merchant?: Address },
  signal: AbortSignal,
): Promise<FlaggedPairs> {
  return Promise.all(
    selection.method.screens.map(async (screen) => {
      const rows = await ledger.rows(selectFlaggedWallets(selection, screen), signal)
      return new Set(rows.map(([merchant = '', buyer = '']) => merchant + buyer))
    }),
  )
}
