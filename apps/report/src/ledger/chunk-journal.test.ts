import assert from 'node:assert/strict'
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { RetryableError } from '@tollbook/flow/failure'
import { openTestLedger, randomChain } from '@tollbook/testing/ledger/open-test-ledger'
import { onEveryState } from '@tollbook/testing/state/every-state'
import { type Housekeeping, PAYMENT_CHUNKS, TRANSFER_CHUNKS } from './chunk-journal.ts'
import { beginAttempt, cover, readCoverage, rollBack, startCoverage } from './coverage/coverage.ts'
import type { Ledger } from './ledger.ts'

const NOW = new Date(Date.UTC(2026, 10, 15))
const RANGE = { firstBlock: 0, endBlock: 5 }
const OUT = { direction: 'out' } as const
const signal = new AbortController().signal

onEveryState('an attempt number that is taken is drawn again', async (state) => {
  const index = { state, chain: randomChain() }
  const original = crypto.randomInt
  try {
    for (const begin of [
      () => PAYMENT_CHUNKS.begin(index, RANGE, {}, NOW),
      () => TRANSFER_CHUNKS.begin(index, RANGE, OUT, NOW),
    ]) {
      const draws = [7, 7, 7, 8]
      crypto.randomInt = (() => draws.shift()) as typeof crypto.randomInt
      syncBuiltinESMExports()
      const first = await begin()
      assert.equal(await begin(), first + 1)
      assert.deepEqual(draws, [])
    }
  } finally {
    crypto.randomInt = original
    syncBuiltinESMExports()
  }
})

onEveryState('a merge adds up the counts of its chunks', async (state) => {
  const housekeeping = await openJournal(state)
  const chunks = await coverChunks(housekeeping)
  await PAYMENT_CHUNKS.merge(housekeeping, { chunks: chunks.payments, label: {} }, signal)
  await TRANSFER_CHUNKS.merge(housekeeping, { chunks: chunks.transfers, label: OUT }, signal)
  const rows = await state.db.selectFrom('index_chunk').selectAll().where('status', '=', 'covered').execute()
  // 2 + 3 payments and 10 + 20 misses in the blocks 0 to 4 and 5 to 9.
  assert.deepEqual(
    rows.map((row) => [row.first_block, row.end_block, row.payments, row.misses]),
    [[0, 10, 5, 30]],
  )
  const [transfers, ...others] = await TRANSFER_CHUNKS.covered(housekeeping, OUT)
  assert.deepEqual([transfers?.firstBlock, transfers?.endBlock, transfers?.rows, others], [0, 10, 11, []])
  assert.deepEqual(await TRANSFER_CHUNKS.covered(housekeeping, { direction: 'in' }), [])
})

onEveryState('a merge that another indexer gives up changes nothing', async (state) => {
  const housekeeping = await openJournal(state)
  const chunks = await coverChunks(housekeeping)
  const { ledger } = housekeeping
  /** While the rows are copied, another indexer starts. */
  const interrupted: Ledger = {
    ...ledger,
    merge: () => PAYMENT_CHUNKS.giveUp(housekeeping),
    transfers: { ...ledger.transfers, merge: () => TRANSFER_CHUNKS.giveUp(housekeeping) },
  }
  const interfered = { ...housekeeping, ledger: interrupted }
  await assert.rejects(
    PAYMENT_CHUNKS.merge(interfered, { chunks: chunks.payments, label: {} }, signal),
    RetryableError,
  )
  await assert.rejects(
    TRANSFER_CHUNKS.merge(interfered, { chunks: chunks.transfers, label: OUT }, signal),
    RetryableError,
  )
  assert.deepEqual(await PAYMENT_CHUNKS.covered(housekeeping), chunks.payments)
  assert.deepEqual(await TRANSFER_CHUNKS.covered(housekeeping), chunks.transfers)
})

onEveryState('a rollback that begins during a merge also removes the merged chunk', async (state) => {
  const index = await openJournal(state)
  await startCoverage(index, 0, NOW)
  for (const firstBlock of [0, 5]) {
    const range = { firstBlock, endBlock: firstBlock + 5 }
    const attempt = await beginAttempt(index, range, NOW)
    await cover(index, { ...range, attempt, checkpoint: null, payments: 0, misses: 0 }, NOW)
  }
  let rollingBack: Promise<number> | undefined
  const chunks = await PAYMENT_CHUNKS.covered(index)
  await PAYMENT_CHUNKS.merge(index, { chunks, label: {} }, signal, async (transaction) => {
    rollingBack = rollBack(index, 7, NOW)
    // Meanwhile the rollback reaches the rows of the chain.
    for (let at = 0; at < 50; at += 1) await transaction.selectFrom('index_chain').selectAll().execute()
  })
  assert.equal(await rollingBack, 0)
  assert.deepEqual(await readCoverage(index), { firstBlock: 0, endBlock: 0, attempts: [] })
})

async function openJournal(state: Housekeeping['state']): Promise<Housekeeping> {
  const chain = randomChain()
  return { state, chain, ledger: await openTestLedger(chain), now: NOW }
}

/** Covers two chunks of each kind. */
async function coverChunks(housekeeping: Housekeeping) {
  for (const [firstBlock, payments, misses, transfers] of [
    [0, 2, 10, 4],
    [5, 3, 20, 7],
  ] as const) {
    const range = { firstBlock, endBlock: firstBlock + 5 }
    const ofPayments = await PAYMENT_CHUNKS.begin(housekeeping, range, {}, NOW)
    const ofTransfers = await TRANSFER_CHUNKS.begin(housekeeping, range, OUT, NOW)
    await housekeeping.state.db.transaction().execute(async (transaction) => {
      await PAYMENT_CHUNKS.cover(transaction, housekeeping, { attempt: ofPayments, payments, misses })
      await TRANSFER_CHUNKS.cover(transaction, housekeeping, { attempt: ofTransfers, transfers })
    })
  }
  return {
    payments: await PAYMENT_CHUNKS.covered(housekeeping),
    transfers: await TRANSFER_CHUNKS.covered(housekeeping),
  }
}
