import type { Hex } from '@tollbook/chain/hex'
import type { Payment } from '@tollbook/verify/chain/payment'
import type { BlockRange } from '@tollbook/verify/chain/pieces'
import type { Coverage } from '../coverage/coverage.ts'
import type { Ledger } from '../ledger.ts'

/** About 12 MB of text per read. */
const ROWS_PER_READ = 50_000
/** Rows are counted per this many blocks; the busiest contain far fewer payments than one read. */
const BLOCKS_PER_COUNT = 500

/** How many payments the ledger shows in a block range. */
export async function countPayments(
  ledger: Pick<Ledger, 'table' | 'rows'>,
  { coverage, range }: { readonly coverage: Coverage; readonly range: BlockRange },
  signal: AbortSignal,
): Promise<number> {
  const [row] = await ledger.rows(
    `SELECT count() FROM ${ledger.table} WHERE ${within(coverage, range)}`,
    signal,
  )
  return Number(row?.[0] ?? 0)
}

/** Reads every payment that the ledger shows in a block range, in chain order. */
export async function* readPayments(
  ledger: Pick<Ledger, 'table' | 'rows'>,
  { coverage, range }: { readonly coverage: Coverage; readonly range: BlockRange },
  signal: AbortSignal,
): AsyncGenerator<Payment> {
  const counts = await ledger.rows(
    `SELECT intDiv(block, ${BLOCKS_PER_COUNT}), count() FROM ${ledger.table} WHERE ${within(coverage, range)} ` +
      `GROUP BY intDiv(block, ${BLOCKS_PER_COUNT}) ORDER BY intDiv(block, ${BLOCKS_PER_COUNT})`,
    signal,
  )
  for (const { first, last } of gatherReads(counts)) {
    const some = {
      firstBlock: Math.max(range.firstBlock, first * BLOCKS_PER_COUNT),
      endBlock: Math.min(range.endBlock, (last + 1) * BLOCKS_PER_COUNT),
    }
    const rows = await ledger.rows(
      `SELECT block, log_index, ts, lower(hex(tx)), lower(hex(buyer)), lower(hex(merchant)), amount,
        lower(hex(facilitator)), evidence, fee
      FROM ${ledger.table} WHERE ${within(coverage, some)} ORDER BY block, log_index`,
      signal,
    )
    yield* rows.map(toPayment)
  }
}

function within({ attempts }: Coverage, { firstBlock, endBlock }: BlockRange): string {
  const isCovered = attempts.length === 0 ? '0' : `attempt IN (${attempts.join(', ')})`
  return `block >= ${firstBlock} AND block < ${endBlock} AND ${isCovered}`
}

/** Consecutive counts that are read together. */
function* gatherReads(counts: readonly (readonly string[])[]) {
  let first: number | null = null
  let rows = 0
  for (const [at, [key, count]] of counts.entries()) {
    first ??= Number(key)
    rows += Number(count)
    const nextCount = Number(counts[at + 1]?.[1] ?? Number.POSITIVE_INFINITY)
    if (rows + nextCount <= ROWS_PER_READ) continue
    yield { first, last: Number(key) }
    first = null
    rows = 0
  }
}

function toPayment(row: readonly string[]): Payment {
  const [
    block,
    logIndex,
    time,
    transaction,
    buyer,
    merchant,
    amount = '0',
    facilitator,
    evidence,
    fee = '0',
  ] = row
  const toHex = (text: string | undefined): Hex => `0x${text ?? ''}`
  return {
    blockNumber: Number(block),
    logIndex: Number(logIndex),
    timestamp: Number(time),
    transaction: toHex(transaction),
    buyer: toHex(buyer),
    merchant: toHex(merchant),
    amount: BigInt(amount),
    ...(fee !== '0' && { fee: BigInt(fee) }),
    facilitator: toHex(facilitator),
    evidence: Number(evidence),
  }
}
