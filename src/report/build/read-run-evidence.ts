import type { Address } from '../../chain/hex.ts'
import { toAddressLiteral } from '../ledger/address-literal.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { selectFlaggedWallets } from './flagged-pairs.ts'
import type { ScreenedPayment } from './read-evidence.ts'
import { type Selection, whereVisible } from './visible-payments.ts'

/** A payment of a run, with the merchant that received it. */
export type RunPayment = ScreenedPayment & { readonly merchant: Address }

/** About 10 MB of text per page. */
const ROWS_PER_PAGE = 50_000

/** Reads every payment of a window by merchant, then in chain order; holds one page and the flagged pairs. */
export async function* readRunEvidence(
  ledger: Ledger,
  criteria: Omit<Selection, 'table' | 'transferTable'>,
  signal: AbortSignal,
): AsyncGenerator<RunPayment> {
  const selection = { ...criteria, table: ledger.table, transferTable: ledger.transfers.table }
  const flagged = await readFlaggedPairs(ledger, selection, signal)
  const { screens, inputs } = selection.method
  let after = ''
  for (;;) {
    // The order of the table's key, so a page needs no sorting.
    const rows = await ledger.rows(
      `SELECT lower(hex(merchant)), block, log_index, ts, lower(hex(tx)), lower(hex(buyer)), amount, fee
      FROM ${ledger.table} WHERE ${whereVisible(selection)}${after}
      ORDER BY merchant, block, log_index LIMIT ${ROWS_PER_PAGE}`,
      signal,
    )
    for (const row of rows) {
      const [
        merchant = '',
        block,
        logIndex,
        time,
        transaction = '',
        buyer = '',
        amountText = '0',
        fee = '0',
      ] = row
      const amount = BigInt(amountText)
      const pair = merchant + buyer
      const place = { blockNumber: Number(block), logIndex: Number(logIndex) }
      const wallets = { merchant: `0x${merchant}`, buyer: `0x${buyer}` } as const
      const payment = { ...place, ...wallets, amount }
      const screen = screens.find((each, at) => flagged[at]?.has(pair) && each.isCandidate(payment, inputs))
      yield {
        merchant: `0x${merchant}`,
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
    const [merchant, block, logIndex] = last
    const own = toAddressLiteral(`0x${merchant}`)
    after =
      ` AND merchant >= ${own} AND (merchant > ${own} OR block > ${block} ` +
      `OR (block = ${block} AND log_index > ${logIndex}))`
  }
}

/** The flagged pairs of each screen with candidates: hex of merchant and buyer without `0x`. */
async function readFlaggedPairs(
  ledger: Ledger,
  selection: Selection,
  signal: AbortSignal,
): Promise<readonly ReadonlySet<string>[]> {
  return Promise.all(
    selection.method.screens.map(async (screen) => {
      const rows = await ledger.rows(selectFlaggedWallets(selection, screen), signal)
      return new Set(rows.map(([merchant = '', buyer = '']) => merchant + buyer))
    }),
  )
}
