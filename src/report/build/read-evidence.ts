import type { AtomicUsdc } from '../../money/usdc.ts'
import type { Address, Hex } from '../chain/payment.ts'
import { toAddressLiteral } from '../ledger/address-literal.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { PAYMENT_COLUMNS, type Selection, whereVisible } from './visible-payments.ts'

/** One payment of a merchant's window, and the kind of flag under which it counts; null when it passes. */
export type JudgedPayment = {
  readonly blockNumber: number
  readonly logIndex: number
  /** Block time in epoch seconds. */
  readonly timestamp: number
  readonly transaction: Hex
  readonly buyer: Address
  readonly amount: AtomicUsdc
  readonly flag: string | null
}

/** About 4 MB of text at once. */
const ROWS_PER_PAGE = 20_000

/** Reads every payment behind a merchant's figures, in the order of the chain, a page at a time. */
export async function* readEvidence(
  ledger: Ledger,
  selection: Omit<Selection, 'table'> & { readonly merchant: Address },
  signal: AbortSignal,
): AsyncGenerator<JudgedPayment> {
  const own = `${whereVisible({ ...selection, table: ledger.table })} AND merchant = ${toAddressLiteral(selection.merchant)}`
  const flagged = await readFlaggedBuyers(ledger, { ...selection, own }, signal)
  const { screens } = selection.method
  let after = ''
  for (;;) {
    const rows = await ledger.rows(
      `SELECT block, log_index, ts, lower(hex(tx)), lower(hex(buyer)), amount
      FROM ${ledger.table} WHERE ${own}${after} ORDER BY block, log_index LIMIT ${ROWS_PER_PAGE}`,
      signal,
    )
    for (const [block, logIndex, time, transaction = '', buyer = '', amountText = '0'] of rows) {
      const amount = BigInt(amountText)
      const screen = screens.find((each, at) => flagged[at]?.has(buyer) && each.isCandidate({ amount }))
      yield {
        blockNumber: Number(block),
        logIndex: Number(logIndex),
        timestamp: Number(time),
        transaction: `0x${transaction}`,
        buyer: `0x${buyer}`,
        amount,
        flag: screen?.kind ?? null,
      }
    }
    const last = rows.at(-1)
    if (!last || rows.length < ROWS_PER_PAGE) return
    after = ` AND (block > ${last[0]} OR (block = ${last[0]} AND log_index > ${last[1]}))`
  }
}

/** For each screen the buyers, as hex without `0x`, whose candidates it flags. */
async function readFlaggedBuyers(
  ledger: Ledger,
  { method, merchant, own }: Pick<Selection, 'method'> & { readonly merchant: Address; readonly own: string },
  signal: AbortSignal,
): Promise<readonly ReadonlySet<string>[]> {
  const columns = { ...PAYMENT_COLUMNS, isOneWallet: `buyer = ${toAddressLiteral(merchant)}` }
  return Promise.all(
    method.screens.map(async ({ sql }) => {
      const rows = await ledger.rows(
        `SELECT lower(hex(buyer)) FROM ${ledger.table} WHERE ${own} AND ${sql.candidate}
        GROUP BY merchant, buyer HAVING ${sql.pair(columns, method.inputs)}`,
        signal,
      )
      return new Set(rows.map(([buyer = '']) => buyer))
    }),
  )
}
