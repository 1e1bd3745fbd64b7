import assert from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'
import type { Hex } from '@tollbook/chain/hex'
import { PermanentError, RetryableError } from '@tollbook/flow/failure'
import { openTestLedger, randomChain } from '@tollbook/testing/ledger/open-test-ledger'
import { onEveryState } from '@tollbook/testing/state/every-state'
import { EVIDENCE, type Payment } from '@tollbook/verify/chain/payment'
import type { State } from '../../state/state.ts'
import { PAYMENT_CHUNKS } from '../chunk-journal.ts'
import { mergeChunks, removeRetired } from '../upkeep/housekeeping.ts'
import {
  beginAttempt,
  cover,
  readAgain,
  readCoverage,
  readPosition,
  rollBack,
  startCoverage,
} from './coverage.ts'

const NOW = new Date(Date.UTC(2026, 10, 15))
const signal = new AbortController().signal

onEveryState('chunks are covered in sequence', async (state) => {
  const index = { state, chain: randomChain() }
  await startCoverage(index, 10, NOW)
  assert.deepEqual(await readPosition(index), { firstBlock: 10, nextBlock: 10, checkpoints: [] })
  assert.deepEqual(await readCoverage(index), { firstBlock: 10, endBlock: 10, attempts: [] })
  const attempts = [await coverBlocks(index, 10, 15), await coverBlocks(index, 15, 16)]
  assert.deepEqual(await readPosition(index), {
    firstBlock: 10,
    nextBlock: 16,
    checkpoints: [
      { number: 15, hash: hashOf(15) },
      { number: 14, hash: hashOf(14) },
    ],
  })
  assert.deepEqual(await readCoverage(index), { firstBlock: 10, endBlock: 16, attempts })
  // The start of indexing is fixed by the first call.
  await startCoverage(index, 0, NOW)
  assert.equal((await readPosition(index)).firstBlock, 10)
})

onEveryState(
  'blocks are read again from the start of their chunk, within the coverage only',
  async (state) => {
    const index = { state, chain: randomChain() }
    await startCoverage(index, 10, NOW)
    const retained = await coverBlocks(index, 10, 20)
    await coverBlocks(index, 20, 30)
    for (const block of [9, 30]) await assert.rejects(readAgain(index, block, NOW), PermanentError)
    assert.equal(await readAgain(index, 25, NOW), 20)
    assert.deepEqual(await readCoverage(index), { firstBlock: 10, endBlock: 20, attempts: [retained] })
  },
)

onEveryState('an uncovered attempt is not visible, and its number is never used again', async (state) => {
  const index = { state, chain: randomChain() }
  await startCoverage(index, 0, NOW)
  const begun = await beginAttempt(index, { firstBlock: 0, endBlock: 5 }, NOW)
  assert(Number.isSafeInteger(begun))
  assert.deepEqual((await readCoverage(index)).attempts, [])
  const covered = await coverBlocks(index, 0, 5)
  assert.notEqual(covered, begun)
  assert.deepEqual((await readCoverage(index)).attempts, [covered])
})

onEveryState('of two indexers one covers a block, and the other one retries with the next', async (state) => {
  const index = { state, chain: randomChain() }
  await startCoverage(index, 0, NOW)
  const results = await Promise.allSettled([coverBlocks(index, 0, 5), coverBlocks(index, 0, 7)])
  assert.deepEqual(results.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
  const refused = results.find((result) => result.status === 'rejected')
  assert(refused?.reason instanceof RetryableError)
  assert.equal((await readCoverage(index)).attempts.length, 1)
})

onEveryState('an indexer does not cover an attempt that another one has given up', async (state) => {
  const index = { state, chain: randomChain() }
  await startCoverage(index, 0, NOW)
  const attempt = await beginAttempt(index, { firstBlock: 0, endBlock: 5 }, NOW)
  await PAYMENT_CHUNKS.giveUp({ ...index, now: NOW })
  const chunk = { attempt, firstBlock: 0, endBlock: 5, payments: 0, misses: 0 }
  await assert.rejects(
    cover(index, { ...chunk, checkpoint: { number: 4, hash: hashOf(4) } }, NOW),
    RetryableError,
  )
  assert.deepEqual(await readCoverage(index), { firstBlock: 0, endBlock: 0, attempts: [] })
})

onEveryState('a rollback drops every chunk that reaches beyond the block', async (state) => {
  const index = { state, chain: randomChain() }
  await startCoverage(index, 0, NOW)
  const attempts = [
    await coverBlocks(index, 0, 10),
    await coverBlocks(index, 10, 20),
    await coverBlocks(index, 20, 21),
    await coverBlocks(index, 21, 30),
  ]
  assert.equal(await rollBack(index, 21, NOW), 21)
  assert.deepEqual((await readCoverage(index)).attempts, attempts.slice(0, 3))
  // Block 15 is inside the second chunk, which is read again from its beginning.
  assert.equal(await rollBack(index, 15, NOW), 10)
  assert.deepEqual(await readPosition(index), {
    firstBlock: 0,
    nextBlock: 10,
    checkpoints: [{ number: 9, hash: hashOf(9) }],
  })
  assert.equal(await rollBack(index, 0, NOW), 0)
  await coverBlocks(index, 0, 3)
  assert.equal((await readCoverage(index)).endBlock, 3)
})

onEveryState('a gap or an overlap is reported as an error, never skipped', async (state) => {
  const index = { state, chain: randomChain() }
  await startCoverage(index, 0, NOW)
  await coverBlocks(index, 0, 10)
  const second = await coverBlocks(index, 10, 20)
  const third = await coverBlocks(index, 20, 30)
  const change = (attempt: number, values: { first_block?: number; status?: 'retired' | 'covered' }) =>
    state.db
      .updateTable('index_chunk')
      .set(values)
      .where('chain', '=', index.chain)
      .where('attempt', '=', attempt)
      .execute()
  await change(second, { status: 'retired' })
  await assert.rejects(readCoverage(index), PermanentError)
  await change(second, { status: 'covered', first_block: 9 })
  await assert.rejects(readCoverage(index), PermanentError)
  await change(second, { first_block: 10 })
  await change(third, { status: 'retired' })
  await assert.rejects(readCoverage(index), /gap at block 20/)
  await assert.rejects(readCoverage({ state, chain: randomChain() }), /never indexed/)
})

onEveryState('contiguous small chunks become one, and unread rows are deleted later', async (state) => {
  const index = { state, chain: randomChain() }
  const ledger = await openTestLedger(index.chain)
  await startCoverage(index, 0, NOW)
  for (let block = 0; block < 64; block++) {
    const attempt = await beginAttempt(index, { firstBlock: block, endBlock: block + 1 }, NOW)
    if (block % 16 === 0) await ledger.insert(attempt, [paymentIn(block)], signal)
    await coverAttempt(index, { attempt, firstBlock: block, endBlock: block + 1 }, block % 16 === 0 ? 1 : 0)
  }
  const keeping = { ...index, ledger, now: NOW }
  // The newest 256 blocks are not merged.
  assert.equal(await mergeChunks(keeping, signal), 0)
  const last = await coverBlocks(index, 64, 400)
  assert.equal(await mergeChunks(keeping, signal), 64)
  assert.equal(await mergeChunks(keeping, signal), 0)
  const { attempts, endBlock } = await readCoverage(index)
  const [merging] = attempts
  assert.deepEqual([attempts, endBlock], [[merging, last], 400])
  const rows = () => ledger.rows(`SELECT block, attempt FROM ${ledger.table} ORDER BY attempt, block`, signal)
  const merged = [0, 16, 32, 48].map((block) => [String(block), String(merging)])
  assert.deepEqual(
    (await rows()).filter(([, attempt]) => attempt === String(merging)),
    merged,
  )
  const position = await readPosition(index)
  assert.deepEqual(
    position.checkpoints.map(({ number }) => number),
    [399, 63],
  )

  assert.equal(await PAYMENT_CHUNKS.findDamage(keeping, signal), null)
  assert.equal(await removeRetired(keeping, signal), 0)
  const later = new Date(NOW.getTime() + 3_600_000)
  assert.equal(await removeRetired({ ...keeping, now: later }, signal), 64)
  assert.equal(await removeRetired({ ...keeping, now: later }, signal), 0)
  // The engine deletes asynchronously.
  while ((await rows()).length > merged.length) await setTimeout(10)
  assert.deepEqual(await rows(), merged)

  assert.equal(await PAYMENT_CHUNKS.findDamage(keeping, signal), null)
  await ledger.insert(last, [paymentIn(64)], signal)
  assert.equal(await PAYMENT_CHUNKS.findDamage(keeping, signal), 64)
  assert.equal(await PAYMENT_CHUNKS.findDamage({ ...keeping, ledger: await openTestLedger() }, signal), 0)
})

type Index = { readonly state: State; readonly chain: Hex }

async function coverBlocks(index: Index, firstBlock: number, endBlock: number): Promise<number> {
  const attempt = await beginAttempt(index, { firstBlock, endBlock }, NOW)
  await coverAttempt(index, { attempt, firstBlock, endBlock })
  return attempt
}

function coverAttempt(
  index: Index,
  chunk: { readonly attempt: number; readonly firstBlock: number; readonly endBlock: number },
  payments = 0,
): Promise<void> {
  const checkpoint = { number: chunk.endBlock - 1, hash: hashOf(chunk.endBlock - 1) }
  return cover(index, { ...chunk, checkpoint, payments, misses: 0 }, NOW)
}

function hashOf(block: number): Hex {
  return `0x${block.toString(16).padStart(64, '0')}`
}

function paymentIn(blockNumber: number): Payment {
  const wallet = `0x${'1'.repeat(40)}` as const
  return {
    blockNumber,
    logIndex: 0,
    timestamp: 1_700_000_000 + blockNumber,
    transaction: hashOf(blockNumber),
    buyer: wallet,
    merchant: wallet,
    amount: 1n,
    facilitator: wallet,
    evidence: EVIDENCE.permit2Proxy,
  }
}
