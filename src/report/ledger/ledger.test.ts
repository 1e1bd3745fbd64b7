import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { openTestLedger } from '../../../test/open-test-ledger.ts'
import { PermanentError } from '../../fetching/failure.ts'
import type { Hex, Payment } from '../chain/payment.ts'
import { openLedger } from './ledger.ts'

const signal = new AbortController().signal
const ledger = await openTestLedger()

const bytes = (size: number) =>
  fc
    // Bytes that TSV escapes come often.
    .array(fc.oneof(fc.integer({ min: 0, max: 255 }), fc.constantFrom(0, 8, 9, 10, 12, 13, 39, 92, 78)), {
      minLength: size,
      maxLength: size,
    })
    .map((list): Hex => `0x${Buffer.from(list).toString('hex')}`)
const number = fc.integer({ min: 0, max: 2 ** 32 - 1 })
const payment: fc.Arbitrary<Payment> = fc.record({
  blockNumber: number,
  logIndex: number,
  timestamp: number,
  transaction: bytes(32),
  buyer: bytes(20),
  merchant: bytes(20),
  amount: fc.bigInt(0n, 2n ** 64n - 1n),
  facilitator: bytes(20),
  evidence: fc.integer({ min: 0, max: 7 }),
})

test('every payment is read as it was written, whatever its bytes', async () => {
  let attempt = 0
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(payment, { maxLength: 20, selector: toKey }), async (payments) => {
      attempt++
      await ledger.insert(attempt, payments, signal)
      const rows = await ledger.rows(
        `SELECT block, log_index, ts, lower(hex(tx)), lower(hex(buyer)), lower(hex(merchant)), amount,
          lower(hex(facilitator)), evidence FROM ${ledger.table} WHERE attempt = ${attempt}`,
        signal,
      )
      assert.deepEqual(new Set(rows.map((row) => row.join())), new Set(payments.map(toText)))
    }),
    { numRuns: 40 },
  )
})

test('merging copies the rows of some attempts into a new one, and removing deletes them', async () => {
  const [first, second, third] = fc.sample(payment, 3)
  assert(first && second && third)
  await ledger.insert(1001, [first], signal)
  await ledger.insert(1002, [second], signal)
  await ledger.insert(1003, [third], signal)
  await ledger.merge(1004, [1001, 1002], signal)
  await ledger.remove([1001, 1002], signal)
  const select = (attempt: number) =>
    ledger.rows(
      `SELECT block, amount FROM ${ledger.table} WHERE attempt = ${attempt} ORDER BY amount`,
      signal,
    )
  const merged = [first, second].map(({ blockNumber, amount }) => [String(blockNumber), String(amount)])
  assert.deepEqual(new Set(await select(1004)), new Set(merged))
  assert.deepEqual(await select(1003), [[String(third.blockNumber), String(third.amount)]])
})

test('an amount beyond a UInt64 is refused before anything is written', async () => {
  const [valid] = fc.sample(payment, 1)
  assert(valid)
  await assert.rejects(ledger.insert(2001, [{ ...valid, amount: 2n ** 64n }], signal), RangeError)
})

test('chains do not see the payments of each other', async () => {
  const other = await openTestLedger()
  const [only] = fc.sample(payment, 1)
  assert(only)
  await other.insert(1, [only], signal)
  assert.deepEqual(await other.rows(`SELECT count() FROM ${other.table}`, signal), [['1']])
})

test('a URL of an unknown kind is refused', async () => {
  await assert.rejects(openLedger('ftp://example.com', `0x${'0'.repeat(64)}`), PermanentError)
})

function toKey({ blockNumber, logIndex }: Payment): string {
  return `${blockNumber} ${logIndex}`
}

function toText(each: Payment): string {
  const { transaction, buyer, merchant, facilitator } = each
  const [tx, from, to, by] = [transaction, buyer, merchant, facilitator].map((hex) => hex.slice(2))
  return [
    ...[each.blockNumber, each.logIndex, each.timestamp, tx, from, to, each.amount, by, each.evidence],
  ].join()
}
