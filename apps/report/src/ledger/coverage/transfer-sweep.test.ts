import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Address } from '@tollbook/chain/hex'
import type { Rpc } from '@tollbook/chain/rpc/rpc'
import { RetryableError } from '@tollbook/flow/failure'
import { openTestLedger, randomChain } from '@tollbook/testing/ledger/open-test-ledger'
import { fc } from '@tollbook/testing/property'
import {
  createTransferNode,
  hashOf,
  NO_LIMITS,
  type TransferNode,
} from '@tollbook/testing/report/transfer-node'
import { onEveryState } from '@tollbook/testing/state/every-state'
import { BASE_CONTRACTS } from '@tollbook/verify/chain/contracts'
import { createRangeSize } from '@tollbook/verify/chain/range-size'
import type { Transfer } from '@tollbook/verify/chain/transfer'
import { TRANSFER_CHUNKS } from '../chunk-journal.ts'
import { mergeTransfers, repairTransfers } from '../upkeep/transfer-housekeeping.ts'
import { beginAttempt, cover, rollBack, startCoverage } from './coverage.ts'
import { readSpans, readTransferAttempts } from './transfer-coverage.ts'
import { CELL_BLOCKS, isKnown, planPiece } from './transfer-plan.ts'
import { type Sweep, sweepTransfers } from './transfer-sweep.ts'

const NOW = new Date(Date.UTC(2026, 10, 15))
const signal = new AbortController().signal
const [SHOP, BAR, PUB] = [1, 2, 3].map(walletOf) as [Address, Address, Address]

test('pieces fill every gap in a range once, none crosses a cell boundary, and no block is read twice', () => {
  const blocks = fc.integer({ min: 0, max: 5 * CELL_BLOCKS })
  const range = fc
    .tuple(blocks, blocks)
    .map(([a, b]) => ({ firstBlock: Math.min(a, b), endBlock: Math.max(a, b) }))
  fc.assert(
    fc.property(
      fc.array(fc.array(blocks, { maxLength: 6 }), { minLength: 1, maxLength: 4 }),
      range,
      (known, range) => {
        // Each wallet's blocks that were read: between the first and second number, the third and fourth, …
        const spans = new Map(
          known.map((numbers, at) => {
            const sorted = [...new Set(numbers)].sort((a, b) => a - b)
            const pairs = sorted.flatMap((firstBlock, index) => {
              const endBlock = sorted[index + 1]
              return index % 2 === 0 && endBlock !== undefined ? [{ firstBlock, endBlock }] : []
            })
            return [walletOf(at), pairs] as const
          }),
        )
        const wallets = [...spans.keys()]
        for (;;) {
          const piece = planPiece(wallets, spans, range)
          if (!piece) break
          const { firstBlock, endBlock } = piece
          assert(firstBlock < endBlock && firstBlock >= range.firstBlock && endBlock <= range.endBlock)
          assert.equal(Math.floor(firstBlock / CELL_BLOCKS), Math.floor((endBlock - 1) / CELL_BLOCKS))
          for (const wallet of piece.wallets) {
            const own = spans.get(wallet) ?? []
            assert(
              own.every((span) => span.endBlock <= firstBlock || span.firstBlock >= endBlock),
              'read again',
            )
            spans.set(
              wallet,
              [...own, { firstBlock, endBlock }].sort((a, b) => a.firstBlock - b.firstBlock),
            )
          }
        }
        assert(wallets.every((wallet) => isKnown(spans.get(wallet), range)))
      },
    ),
    { numRuns: 150 },
  )
})

onEveryState(
  'outgoing transfers are read once, however often and for whichever merchants they are requested',
  async (state) => {
    const { node, sweep, index, read } = await open(state)
    node.transfers = [
      transfer(5, SHOP, BAR, 10n),
      transfer(9_000, SHOP, PUB, 20n),
      transfer(9_000, BAR, SHOP, 30n),
      transfer(19_999, PUB, SHOP, 40n),
      transfer(20_000, SHOP, BAR, 50n),
    ]
    await index(20_000)
    await sweepTransfers(
      sweep,
      { firstBlock: 0, endBlock: 30_000, wallets: [SHOP], budgetMs: 60_000 },
      signal,
    )
    assert.deepEqual(await read(), ['5 10', '9000 20'])
    // A merchant that appears later is read from the start of the window; the others continue.
    await index(30_000)
    const goal = { firstBlock: 1_000, endBlock: 30_000, wallets: [SHOP, BAR], budgetMs: 60_000 }
    await sweepTransfers(sweep, goal, signal)
    assert.deepEqual(await read(), ['5 10', '9000 20', '9000 30', '20000 50'])
    const requestedBlocks: number[] = []
    node.onLogs = (blocks) => requestedBlocks.push(blocks)
    await sweepTransfers(sweep, goal, signal)
    assert.deepEqual(requestedBlocks, [])
    const spans = await readSpans(sweep)
    assert(isKnown(spans.get(BAR), goal) && !isKnown(spans.get(BAR), { ...goal, firstBlock: 999 }))
    assert(!isKnown(spans.get(PUB), goal))
    // An older window of the same merchants needs only the blocks before.
    await sweepTransfers(sweep, { ...goal, firstBlock: 0 }, signal)
    assert.equal(
      requestedBlocks.reduce((sum, blocks) => sum + blocks, 0),
      1_000,
    )
  },
)

onEveryState('a sweep without a time budget reads nothing, and reports what is missing', async (state) => {
  const { node, sweep, index, read } = await open(state)
  node.transfers = [transfer(5, SHOP, BAR, 10n)]
  await index(20_000)
  const seen: number[][] = []
  const onProgress = (done: number, total: number) => seen.push([done, total])
  const goal = { firstBlock: 0, endBlock: 20_000, wallets: [SHOP], onProgress }
  await sweepTransfers(sweep, { ...goal, budgetMs: 0 }, signal)
  assert.deepEqual([await read(), seen], [[], [[0, 20_000]]])
  assert(!isKnown((await readSpans(sweep)).get(SHOP), goal))
})

onEveryState('a reorganisation of the index removes the transfers, too', async (state) => {
  const { node, sweep, index, read } = await open(state)
  const retained = [transfer(5, SHOP, BAR, 10n), transfer(9_000, SHOP, PUB, 20n)]
  node.transfers = [...retained, transfer(19_000, SHOP, PUB, 99n)]
  await index(10_000)
  await index(20_000)
  const goal = { firstBlock: 0, endBlock: 30_000, wallets: [SHOP, BAR], budgetMs: 60_000 }
  await sweepTransfers(sweep, goal, signal)
  assert.deepEqual(await read(), ['5 10', '9000 20', '19000 99'])

  // The chain moved between two reads of the index: nothing is stored from the new chain.
  node.fork = { fromBlock: 15_000, name: 1 }
  node.transfers = [...retained, transfer(18_000, SHOP, PUB, 40n)]
  await assert.rejects(sweepTransfers(sweep, { ...goal, wallets: [SHOP, BAR, PUB] }, signal), RetryableError)
  assert.equal(await rollBack(sweep, 15_000, NOW), 10_000)
  assert.deepEqual(await read(), ['5 10'])
  await index(20_000)
  await sweepTransfers(sweep, goal, signal)
  assert.deepEqual(await read(), ['5 10', '9000 20', '18000 40'])
})

onEveryState('a rollback while a piece is being read leaves that piece invisible', async (state) => {
  const { node, sweep, index, read } = await open(state)
  node.transfers = [transfer(5, SHOP, BAR, 10n)]
  await index(6_000)
  await index(8_000)
  let rolled: Promise<unknown> | undefined
  const rpc: Rpc = {
    ...node.rpc,
    async batch(requests, signal) {
      const answers = await node.rpc.batch(requests, signal)
      const hasLogs = requests.some(({ method }) => method === 'eth_getLogs')
      rolled ??= hasLogs ? rollBack(sweep, 7_000, NOW) : undefined
      await rolled
      return answers
    },
  }
  const goal = { firstBlock: 0, endBlock: 8_000, wallets: [SHOP], budgetMs: 60_000 }
  await assert.rejects(sweepTransfers({ ...sweep, nodes: only(rpc) }, goal, signal), RetryableError)
  assert.deepEqual([await read(), (await readSpans(sweep)).size], [[], 0])
})

onEveryState(
  'rows written by a killed process are neither lost nor duplicated, and missing rows are read again',
  async (state) => {
    const { node, sweep, index, read } = await open(state)
    node.transfers = [transfer(5, SHOP, BAR, 10n), transfer(9_000, SHOP, PUB, 20n)]
    await index(20_000)
    const goal = { firstBlock: 0, endBlock: 20_000, wallets: [SHOP], budgetMs: 60_000 }
    let writes = 0
    const transfers = {
      ...sweep.ledger.transfers,
      async insert(...parameters: Parameters<typeof sweep.ledger.transfers.insert>) {
        await sweep.ledger.transfers.insert(...parameters)
        if (++writes === 2) throw new Error('the process died')
      },
    }
    const dying = { ...sweep, ledger: { ...sweep.ledger, transfers } }
    await assert.rejects(sweepTransfers(dying, goal, signal), /died/)
    assert.deepEqual(await read(), ['5 10'])
    assert.equal(await repairTransfers({ ...sweep, now: NOW }, signal), null)
    await sweepTransfers(sweep, goal, signal)
    assert.deepEqual(await read(), ['5 10', '9000 20'])

    // The rows of the second cell are missing, as after a folder was restored from an older copy.
    const [, second] = await readTransferAttempts(sweep, goal)
    assert(second)
    const other = await openTestLedger()
    const damaged = {
      ...sweep.ledger,
      rows: async (sql: string, signal: AbortSignal) =>
        (await sweep.ledger.rows(sql, signal)).filter(([attempt]) => attempt !== String(second)),
    }
    assert.equal(await repairTransfers({ ...sweep, ledger: damaged, now: NOW }, signal), CELL_BLOCKS)
    assert.deepEqual(await read(), ['5 10'])
    await sweepTransfers(sweep, goal, signal)
    assert.deepEqual(await read(), ['5 10', '9000 20'])
    assert.equal(await repairTransfers({ ...sweep, ledger: other, now: NOW }, signal), 0)
  },
)

onEveryState('many small chunks become one, and unread rows are deleted later', async (state) => {
  const { node, sweep, index, read } = await open(state)
  node.transfers = Array.from({ length: 40 }, (_, at) => transfer(at, SHOP, BAR, BigInt(at + 1)))
  await index(20_000)
  const goal = { firstBlock: 0, wallets: [SHOP], budgetMs: 60_000 }
  for (let block = 1; block <= 32; block++) await sweepTransfers(sweep, { ...goal, endBlock: block }, signal)
  const before = await read()
  const keeping = { ...sweep, now: NOW }
  assert.equal(await mergeTransfers(keeping, signal), 32)
  assert.equal(await mergeTransfers(keeping, signal), 0)
  assert.equal((await readTransferAttempts(sweep, { firstBlock: 0, endBlock: 32 })).length, 1)
  assert.deepEqual(await read(), before)
  assert.equal(await repairTransfers(keeping, signal), null)
  assert.equal(await TRANSFER_CHUNKS.removeRetired(keeping, signal), 0)
  const later = { ...keeping, now: new Date(NOW.getTime() + 3_600_000) }
  assert.equal(await TRANSFER_CHUNKS.removeRetired(later, signal), 32)
  // Merged chunks can be rolled back, and are read again.
  await rollBack(sweep, 10, NOW)
  assert.deepEqual(await read(), [])
})

async function open(state: Sweep['state']) {
  const chain = randomChain()
  const ledger = await openTestLedger(chain)
  const node = createTransferNode({ ...NO_LIMITS, timeOf: (block) => 1_700_000_000 + block })
  const sweep: Sweep = {
    state,
    chain,
    ledger,
    nodes: only(node.rpc),
    range: createRangeSize(),
    usdc: BASE_CONTRACTS.usdc,
    direction: 'out',
    now: () => NOW,
  }
  await startCoverage(sweep, 0, NOW)
  return {
    node,
    sweep,
    /** Lets the index reach a block. */
    async index(endBlock: number) {
      const { next_block } = await state.db
        .selectFrom('index_chain')
        .select('next_block')
        .where('chain', '=', chain)
        .executeTakeFirstOrThrow()
      await indexTo(sweep, node, { firstBlock: next_block, endBlock })
    },
    /** What readers of all blocks see: block and amount of each transfer. */
    async read() {
      const attempts = await readTransferAttempts(sweep, { firstBlock: 0, endBlock: 100_000 })
      if (attempts.length === 0) return []
      const rows = await ledger.rows(
        `SELECT block, amount FROM ${ledger.transfers.table} WHERE attempt IN (${attempts.join(', ')})
        ORDER BY block, amount`,
        signal,
      )
      return rows.map((row) => row.join(' '))
    },
  }
}

async function indexTo(
  sweep: Sweep,
  node: TransferNode,
  range: { readonly firstBlock: number; readonly endBlock: number },
): Promise<void> {
  const attempt = await beginAttempt(sweep, range, NOW)
  const number = range.endBlock - 1
  const checkpoint = { number, hash: hashOf(node, number) }
  await cover(sweep, { ...range, attempt, checkpoint, payments: 0, misses: 0 }, NOW)
}

/** A single node without a failover. */
function only(rpc: Rpc): Sweep['nodes'] {
  return { use: (work) => work({ rpc, range: createRangeSize() }, async () => null) }
}

function walletOf(at: number): Address {
  return `0x${at.toString(16).padStart(40, '0')}`
}

function transfer(blockNumber: number, sender: Address, recipient: Address, amount: bigint): Transfer {
  return {
    blockNumber,
    sender,
    recipient,
    amount,
    timestamp: 0,
    logIndex: Number(amount),
    transaction: `0x${'0'.repeat(64)}`,
  }
}
