import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Hex } from '@tollbook/chain/hex'
import { PermanentError, Unreachable } from '@tollbook/flow/failure'
import { onEveryLedger } from '@tollbook/testing/ledger/every-ledger'
import { randomChain } from '@tollbook/testing/ledger/open-test-ledger'
import { fc, slowRuns } from '@tollbook/testing/property'
import type { Payment } from '@tollbook/verify/chain/payment'
import { toAddressLiteral } from './address-literal.ts'
import { type Ledger, openLedger } from './ledger.ts'

const signal = new AbortController().signal

const bytes = (size: number) =>
  fc
    // Bytes that TSV escapes are frequent.
    .array(fc.oneof(fc.integer({ min: 0, max: 255 }), fc.constantFrom(0, 8, 9, 10, 12, 13, 39, 92, 78)), {
      minLength: size,
      maxLength: size,
    })
    .map((list): Hex => `0x${Buffer.from(list).toString('hex')}`)
const number = fc.integer({ min: 0, max: 2 ** 32 - 1 })
/** Ten weeks, because each week is a separate part on disk, and the limits of the column. */
const time = fc.oneof(
  { weight: 9, arbitrary: fc.integer({ min: 1_790_000_000, max: 1_796_000_000 }) },
  { weight: 1, arbitrary: fc.constantFrom(0, 2 ** 32 - 1) },
)
const payment: fc.Arbitrary<Payment> = fc.record({
  blockNumber: number,
  logIndex: number,
  timestamp: time,
  transaction: bytes(32),
  buyer: bytes(20),
  merchant: bytes(20),
  amount: fc.bigInt(0n, 2n ** 64n - 1n),
  facilitator: bytes(20),
  evidence: fc.integer({ min: 0, max: 7 }),
  fee: fc.bigInt(0n, 2n ** 64n - 1n),
})

onEveryLedger(
  'every payment is read back as it was written, whatever its bytes',
  async ({ open, isCluster }) => {
    const ledger = await open()
    let attempt = 0
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(payment, { maxLength: 20, selector: toKey }), async (payments) => {
        attempt++
        await ledger.insert(attempt, payments, signal)
        const rows = await ledger.rows(
          `SELECT block, log_index, ts, lower(hex(tx)), lower(hex(buyer)), lower(hex(merchant)), amount,
          lower(hex(facilitator)), evidence, fee FROM ${ledger.table} WHERE attempt = ${attempt}`,
          signal,
        )
        assert.deepEqual(new Set(rows.map((row) => row.join())), new Set(payments.map(toText)))
      }),
      { numRuns: slowRuns(isCluster ? 5 : 20) },
    )
  },
)

onEveryLedger('merging copies the rows of some attempts into a new one', async ({ open }) => {
  const ledger = await open()
  const [first, second, third] = fc.sample(payment, 3)
  assert(first && second && third)
  await ledger.insert(1001, [first], signal)
  await ledger.insert(1002, [second], signal)
  await ledger.insert(1003, [third], signal)
  await ledger.merge(1004, [1001, 1002], signal)
  const select = (attempt: number) =>
    ledger.rows(
      `SELECT block, amount FROM ${ledger.table} WHERE attempt = ${attempt} ORDER BY amount`,
      signal,
    )
  const merged = [first, second].map(({ blockNumber, amount }) => [String(blockNumber), String(amount)])
  assert.deepEqual(new Set(await select(1004)), new Set(merged))
  assert.deepEqual(await select(1003), [[String(third.blockNumber), String(third.amount)]])
})

onEveryLedger('an amount above a UInt64 is rejected before anything is written', async ({ open }) => {
  const ledger = await open()
  const [valid] = fc.sample(payment, 1)
  assert(valid)
  await assert.rejects(ledger.insert(2001, [{ ...valid, amount: 2n ** 64n }], signal), RangeError)
  assert.deepEqual(await ledger.rows(`SELECT count() FROM ${ledger.table}`, signal), [['0']])
})

onEveryLedger("chains do not see each other's payments", async ({ open }) => {
  const [one, other] = [await open(), await open()]
  const [first, second] = fc.sample(payment, 2)
  assert(first && second)
  await one.insert(1, [first, second], signal)
  await other.insert(1, [first], signal)
  assert.deepEqual(await other.rows(`SELECT count() FROM ${other.table}`, signal), [['1']])
})

onEveryLedger(
  'a ledger opened again, and by two processes at once, has the same rows and keys',
  async (place) => {
    const chain = randomChain()
    const keysOf = (ledger: Ledger) =>
      ledger.rows(`SELECT lower(hex(buyer)), toString(buyer_key) FROM ${ledger.table} ORDER BY buyer`, signal)
    // The first one creates the tables and their secret; they are never created twice.
    const [one, other] = await Promise.all([place.open(chain), place.open(chain)])
    const some = fc.sample(payment, 20)
    await one.insert(1, some.slice(0, 10), signal)
    await other.insert(2, some.slice(10), signal)
    const again = await place.open(chain)
    const keys = await keysOf(again)
    assert.equal(keys.length, 20)
    assert.deepEqual(await keysOf(one), keys)
    await again.insert(3, some, signal)
    // The same wallet has the same key, whichever process wrote it and wherever it is stored.
    assert.equal(new Set((await keysOf(one)).map(String)).size, new Set(some.map(({ buyer }) => buyer)).size)
  },
)

onEveryLedger('a table of an older version gets the column of fees', async ({ open, isCluster }) => {
  // Every version that writes DuckDB has it.
  if (!isCluster) return
  const chain = randomChain()
  const [one] = fc.sample(payment, 1)
  assert(one)
  const before = await open(chain)
  await before.insert(1, [{ ...one, fee: 7n }], signal)
  const own = `payment_${chain.slice(2, 18)}`
  await before.rows(`ALTER TABLE ${own} DROP COLUMN fee`, signal)
  await Promise.all([open(chain), open(chain)])
  const after = await open(chain)
  const fees = () => after.rows(`SELECT fee FROM ${own} ORDER BY fee`, signal)
  assert.deepEqual(await fees(), [['0']])
  await after.insert(2, [{ ...one, fee: 7n }], signal)
  assert.deepEqual((await fees()).at(-1), ['7'])
})

onEveryLedger('the rows of a week are removed at once, and other weeks stay', async ({ open }) => {
  const ledger = await open()
  const [one] = fc.sample(payment, 1)
  assert(one)
  const at = (timestamp: number, logIndex: number) => ({ ...one, timestamp, logIndex })
  const week = 2_960
  // The last second of the week before, both ends of the week, and the first second of the next.
  const times = [week * 604_800 - 1, week * 604_800, (week + 1) * 604_800 - 1, (week + 1) * 604_800]
  await ledger.insert(1, times.map(at), signal)
  await ledger.removeWeek(week, signal)
  assert.deepEqual(await ledger.rows(`SELECT ts FROM ${ledger.table} ORDER BY ts`, signal), [
    [String(times[0])],
    [String(times[3])],
  ])
})

onEveryLedger('a condition may contain twenty thousand wallets', async ({ open }) => {
  const ledger = await open()
  const some = fc.sample(payment, 10)
  await ledger.insert(1, some, signal)
  const others = Array.from({ length: 20_000 }, (_, at): Hex => `0x${at.toString(16).padStart(40, '0')}`)
  const wallets = [...others, ...some.map(({ merchant }) => merchant)].map(toAddressLiteral).join(', ')
  assert.deepEqual(
    await ledger.rows(`SELECT count() FROM ${ledger.table} WHERE merchant IN (${wallets})`, signal),
    [['10']],
  )
})

test('a URL with an unknown scheme is rejected', async () => {
  await assert.rejects(openLedger('ftp://example.com', randomChain()), PermanentError)
})

test('an unreachable server is a retryable error', async () => {
  await assert.rejects(openLedger('http://127.0.0.1:1/', randomChain()), Unreachable)
})

onEveryLedger('a cluster unknown to the server is rejected', async ({ url, isCluster }) => {
  if (!isCluster) return
  const unknown = url.replace('=tollbook', '=nowhere')
  await assert.rejects(openLedger(unknown, randomChain()), /has no cluster nowhere/)
  await assert.rejects(openLedger(url.replace('=tollbook', "=a'b"), randomChain()), PermanentError)
})

function toKey({ blockNumber, logIndex }: Payment): string {
  return `${blockNumber} ${logIndex}`
}

function toText(each: Payment): string {
  const { transaction, buyer, merchant, facilitator } = each
  const [tx, from, to, by] = [transaction, buyer, merchant, facilitator].map((hex) => hex.slice(2))
  return [
    each.blockNumber,
    each.logIndex,
    each.timestamp,
    tx,
    from,
    to,
    each.amount,
    by,
    each.evidence,
    each.fee ?? 0n,
  ].join()
}
