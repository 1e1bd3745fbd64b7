import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { type LedgerPlace, onEveryLedger } from '@tollbook/testing/ledger/every-ledger'
import { openTestLedger, randomChain, testLedgerUrl } from '@tollbook/testing/ledger/open-test-ledger'
import { onEveryState } from '@tollbook/testing/state/every-state'
import { openTestState } from '@tollbook/testing/state/open-test-state'
import { EVIDENCE, type Payment } from '@tollbook/verify/chain/payment'
import { PAYMENT_CHUNKS, TRANSFER_CHUNKS } from '../chunk-journal.ts'
import { beginAttempt, cover, dropBefore, readCoverage, startCoverage } from '../coverage/coverage.ts'
import { coverTransfers, readSpans, readTransferAttempts } from '../coverage/transfer-coverage.ts'
import { removeRetired } from './housekeeping.ts'
import { dropOldPayments } from './retention.ts'

const WEEK = 604_800
/** Sunday 2026-11-15 12:00:01 UTC; published weeks end then and multiples of a week before and after. */
const SUNDAY = Date.UTC(2026, 10, 15, 12, 0, 1) / 1000
/** Partitions begin on Thursdays: this one contains SUNDAY - 604,800. */
const THURSDAY = Math.floor((SUNDAY - WEEK) / WEEK) * WEEK
const NOW = new Date((SUNDAY + WEEK) * 1000)
const LATER = new Date(NOW.getTime() + 3_600_000)
const signal = new AbortController().signal

onEveryLedger(
  'old payments are dropped when their weeks are published, and coverage records it',
  async (place, t) => {
    // By chunk: long before, just before the partition, across its beginning, and after it.
    const { index, ledger, rows } = await openIndex(place, t, [
      [THURSDAY - WEEK, THURSDAY - 2 * WEEK],
      [],
      [THURSDAY - 2, THURSDAY - 1],
      [THURSDAY - 1, THURSDAY],
      [SUNDAY + WEEK - 1],
    ])
    const retention = { ...index, ledger, now: NOW, weeks: 2 }
    // Nothing is published; the week before is not; a gap follows it.
    for (const ends of [[], [SUNDAY], [SUNDAY - 3 * WEEK, SUNDAY - WEEK]])
      assert.equal(await dropOldPayments({ ...retention, publishedEnds: ends }, signal), null)
    assert.equal((await readCoverage(index)).firstBlock, 0)

    const publishedEnds = [SUNDAY - 2 * WEEK, SUNDAY - WEEK, SUNDAY]
    // Now minus two weeks is SUNDAY - 604,800, whose partition begins at THURSDAY: blocks 0 to 29 are before
    // it.
    assert.equal(await dropOldPayments({ ...retention, publishedEnds }, signal), 30)
    const { firstBlock, endBlock, attempts, droppedUntil } = await readCoverage(index)
    assert.deepEqual([firstBlock, endBlock, attempts.length, droppedUntil], [30, 50, 2, THURSDAY])
    assert.equal(await PAYMENT_CHUNKS.findDamage(retention, signal), null)
    assert.equal(await dropOldPayments({ ...retention, publishedEnds }, signal), null)

    // Readers that began before continue; a quarter of an hour later the rows are deleted.
    assert.equal(await removeRetired(retention, signal), 0)
    assert.equal((await rows()).length, 7)
    assert.equal(await removeRetired({ ...retention, now: LATER }, signal), 3)
    const retained = [THURSDAY - 1, THURSDAY, SUNDAY + WEEK - 1].map(String)
    // The engine deletes rows that share a week with others asynchronously; whole weeks disappear at once.
    while ((await rows()).length > retained.length) await wait(10)
    assert.deepEqual(await rows(), retained)
    assert.equal(await PAYMENT_CHUNKS.findDamage(retention, signal), null)
  },
)

onEveryLedger('a week that is being written or read is not deleted as a whole', async (place, t) => {
  const { index, ledger, rows } = await openIndex(place, t, [
    [THURSDAY - 3 * WEEK],
    [THURSDAY - 2 * WEEK],
    [THURSDAY],
  ])
  const retention = { ...index, ledger, now: NOW, weeks: 2 }
  const publishedEnds = [SUNDAY - WEEK, SUNDAY]
  assert.equal(await dropOldPayments({ ...retention, publishedEnds }, signal), 20)
  const writing = await beginAttempt(index, { firstBlock: 5, endBlock: 6 }, LATER)
  await ledger.insert(writing, [paymentAt(THURSDAY - 2 * WEEK, 5)], signal)
  assert.equal(await removeRetired({ ...retention, now: LATER }, signal), 2)
  const retained = [THURSDAY - 2 * WEEK, THURSDAY].map(String)
  while ((await rows()).length > retained.length) await wait(10)
  assert.deepEqual(await rows(), retained)
})

onEveryState('only the transfers of dropped blocks are removed', async (state) => {
  const chain = randomChain()
  const outOf = { state, chain, direction: 'out' } as const
  await startCoverage(outOf, 0, NOW)
  const [first, second] = [`0x${'1'.repeat(40)}`, `0x${'2'.repeat(40)}`] as const
  for (const [firstBlock, endBlock] of [
    [0, 20],
    [20, 30],
    [30, 40],
  ] as const) {
    const range = { firstBlock, endBlock }
    const attempt = await beginAttempt(outOf, range, NOW)
    const checkpoint = { number: endBlock - 1, hash: `0x${String(endBlock).padStart(64, '0')}` as const }
    await cover(outOf, { ...range, attempt, checkpoint, payments: 0, misses: 0 }, NOW)
    const transfers = await TRANSFER_CHUNKS.begin(outOf, range, { direction: 'out' }, NOW)
    const wallets = endBlock === 20 ? [first, second] : [first]
    await coverTransfers(outOf, { ...range, wallets, attempt: transfers, transfers: 0, checkpoint }, NOW)
  }
  await dropBefore(outOf, { block: 30, until: THURSDAY }, NOW)
  // The first wallet's span reached from 0 to 40; the second's ended at 20.
  assert.deepEqual(await readSpans(outOf), new Map([[first, [{ firstBlock: 30, endBlock: 40 }]]]))
  assert.equal((await readTransferAttempts(outOf, { firstBlock: 0, endBlock: 40 })).length, 1)
})

test('blocks without any later payment are not dropped', async (t) => {
  const place = { url: testLedgerUrl(), isCluster: false, open: openTestLedger }
  const { index, ledger } = await openIndex(place, t, [[THURSDAY - WEEK], [], []])
  const retention = { ...index, ledger, now: NOW, weeks: 2 }
  const publishedEnds = [SUNDAY - WEEK, SUNDAY]
  assert.equal(await dropOldPayments({ ...retention, publishedEnds }, signal), 10)
  assert.equal((await readCoverage(index)).endBlock, 30)
})

/** A chain read in chunks of ten blocks, with payments at these times. */
async function openIndex(place: LedgerPlace, t: TestContext, chunks: readonly (readonly number[])[]) {
  const state = await openTestState()
  t.after(() => state.close())
  const index = { state, chain: randomChain() }
  const ledger = await place.open(index.chain)
  await startCoverage(index, 0, NOW)
  for (const [at, times] of chunks.entries()) {
    const range = { firstBlock: at * 10, endBlock: at * 10 + 10 }
    const attempt = await beginAttempt(index, range, NOW)
    const payments = times.map((time, log) => paymentAt(time, range.firstBlock + log))
    await ledger.insert(attempt, payments, signal)
    const checkpoint = { number: range.endBlock - 1, hash: `0x${'0'.repeat(64)}` as const }
    await cover(index, { ...range, attempt, checkpoint, payments: times.length, misses: 0 }, NOW)
  }
  const rows = async () => {
    const found = await ledger.rows(`SELECT ts FROM ${ledger.table} ORDER BY ts`, signal)
    return found.map(([time]) => time)
  }
  return { index, ledger, rows }
}

function paymentAt(timestamp: number, blockNumber: number): Payment {
  const wallet = `0x${'1'.repeat(40)}` as const
  return {
    blockNumber,
    logIndex: 0,
    timestamp,
    amount: 1n,
    evidence: EVIDENCE.permit2Proxy,
    transaction: `0x${'0'.repeat(64)}`,
    buyer: wallet,
    merchant: wallet,
    facilitator: wallet,
  }
}
