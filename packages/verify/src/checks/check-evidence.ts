import { toExactUsdNumber } from '@tollbook/chain/usdc'
import { parseJson } from '@tollbook/flow/parse-json'
import * as z from 'zod'
import { toUtcText } from '../build/compose-report.ts'
import { UnusableDocument } from '../published/failure.ts'
import type { ScreenedPayment } from '../recompute/recompute.ts'
import { type Check, type CheckedValue, compare } from './check.ts'

/** How many differing rows are listed individually; the others are only counted. */
const MAX_NAMED = 20

const rowShape = z.looseObject({
  block: z.number().int().nonnegative(),
  log_index: z.number().int().nonnegative(),
})
type Row = z.output<typeof rowShape>

/** Compares each column of NDJSON payments with the chain. @throws UnusableDocument when it is not that. */
export function checkEvidence(text: string, payments: readonly ScreenedPayment[]): readonly Check[] {
  const published = parseRows(text)
  const expected = new Map(payments.map((payment) => [keyOf(payment.blockNumber, payment.logIndex), payment]))
  const differing: Check[] = []
  const seen = new Set<string>()
  for (const row of published) {
    const key = keyOf(row.block, row.log_index)
    const payment = seen.has(key) ? undefined : expected.get(key)
    const note = seen.has(key) ? 'appears twice in the file' : 'the chain has no such payment'
    seen.add(key)
    if (payment) differing.push(...compareRow(key, row, payment))
    else
      differing.push({ field: `evidence.${key}`, verdict: 'differs', published: JSON.stringify(row), note })
  }
  for (const [key, payment] of expected)
    if (!seen.has(key))
      differing.push({
        field: `evidence.${key}`,
        verdict: 'differs',
        published: undefined,
        expected: payment.transaction,
        note: 'missing from the file',
      })
  const rest = differing.length - MAX_NAMED
  return [
    compare({ field: 'evidence.payments', published: published.length, expected: payments.length }),
    checkOrder(published),
    ...differing.slice(0, MAX_NAMED),
    ...(rest > 0
      ? [{ field: 'evidence', verdict: 'differs' as const, published: rest, note: 'further differences' }]
      : []),
  ]
}

function parseRows(text: string): readonly Row[] {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines.map((line, at) => {
    const parsed = rowShape.safeParse(parseJson(line))
    if (!parsed.success) throw new UnusableDocument(`line ${at + 1} of the evidence is not a payment`)
    return parsed.data
  })
}

function compareRow(key: string, row: Row, payment: ScreenedPayment): readonly Check[] {
  const expected: Readonly<Record<string, CheckedValue>> = {
    time: toUtcText(payment.timestamp),
    transaction: payment.transaction,
    buyer: payment.buyer,
    amount_usd: toExactUsdNumber(payment.amount),
    verdict: payment.flag === null ? 'passes' : 'flagged',
    flag: payment.flag,
    fee_usd: payment.fee ? toExactUsdNumber(payment.fee) : undefined,
  }
  return Object.entries(expected)
    .map(([name, value]) =>
      compare({ field: `evidence.${key}.${name}`, published: toValue(row[name]), expected: value }),
    )
    .filter(({ verdict }) => verdict === 'differs')
}

function toValue(value: unknown): CheckedValue {
  return value !== null && typeof value === 'object' ? JSON.stringify(value) : (value as CheckedValue)
}

function checkOrder(rows: readonly Row[]): Check {
  const at = rows.findIndex((row, index) => {
    const before = rows[index - 1]
    return before && (before.block - row.block || before.log_index - row.log_index) >= 0
  })
  const field = 'evidence.order'
  if (at < 0) return { field, verdict: 'equal', published: 'of the chain' }
  return { field, verdict: 'differs', published: `line ${at + 1} is after a later payment` }
}

function keyOf(block: number, logIndex: number): string {
  return `${block}/${logIndex}`
}
