import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc, slowRuns } from '../../../test/property.ts'
import { createTransferNode, NO_LIMITS } from '../../../test/report/transfer-node.ts'
import type { Address } from '../../chain/hex.ts'
import { RpcRefusal } from '../../chain/rpc/rpc-failure.ts'
import { InvalidAnswer } from '../../fetching/failure.ts'
import { BASE_CONTRACTS } from './contracts.ts'
import { createRangeSize } from './range-size.ts'
import type { Transfer } from './transfer.ts'
import { readTransfers, type TransferQuery } from './transfers.ts'

const signal = new AbortController().signal
const walletOf = (at: number): Address => `0x${at.toString(16).padStart(40, '0')}`
const timeOf = (block: number) => 1_700_000_000 + 7 * block

const transfers = fc
  .array(
    fc.record({
      block: fc.oneof(fc.integer({ min: 0, max: 3_000 }), fc.constantFrom(99, 100, 2_099, 2_100)),
      sender: fc.integer({ min: 0, max: 450 }),
      recipient: fc.integer({ min: 0, max: 450 }),
      amount: fc.oneof(fc.constant(0n), fc.bigInt(1n, 2n ** 60n)),
    }),
    { maxLength: 300 },
  )
  .map((list) =>
    list.map(
      ({ block, sender, recipient, amount }, at): Transfer => ({
        blockNumber: block,
        logIndex: at,
        timestamp: timeOf(block),
        transaction: `0x${at.toString(16).padStart(64, '0')}`,
        sender: walletOf(sender),
        recipient: walletOf(recipient),
        amount,
      }),
    ),
  )

test('whatever a node refuses, every transfer above zero of the wallets and blocks in question comes once', async () => {
  const limits = fc.record({
    maxBlocks: fc.constantFrom(1, 7, 500, 10_000),
    maxLogs: fc.constantFrom(30, 10_000),
    tellsTime: fc.boolean(),
  })
  const wallets = fc.uniqueArray(fc.integer({ min: 0, max: 450 }), { maxLength: 430 })
  await fc.assert(
    fc.asyncProperty(
      transfers,
      wallets,
      limits,
      fc.constantFrom('out', 'in'),
      async (all, own, given, direction) => {
        const node = createTransferNode({ ...NO_LIMITS, timeOf, ...given })
        node.transfers = all
        const watched = new Set(own.map(walletOf))
        const query = { ...queryOf(node), direction, wallets: [...watched], firstBlock: 100, endBlock: 2_100 }
        const expected = all.filter(
          ({ blockNumber, sender, recipient, amount }) =>
            blockNumber >= 100 &&
            blockNumber < 2_100 &&
            watched.has(direction === 'out' ? sender : recipient) &&
            amount > 0n,
        )
        // A single block with more logs than the node gives cannot be read from it.
        const read = await readAll(query).catch((error: unknown) => {
          assert(error instanceof RpcRefusal && given.maxLogs === 30)
          return expected
        })
        const byIndex = (a: Transfer, b: Transfer) => a.logIndex - b.logIndex
        assert.deepEqual([...read].sort(byIndex), [...expected].sort(byIndex))
      },
    ),
    { numRuns: slowRuns(30) },
  )
})

test('on Base the time follows from the number of the block, and only two blocks are asked for', async () => {
  const node = createTransferNode({ ...NO_LIMITS, tellsTime: false })
  const sender = walletOf(1)
  node.transfers = Array.from({ length: 50 }, (_, at) => ({ ...toTransfer(at), sender, blockNumber: 3 * at }))
  const asked: unknown[] = []
  const rpc = {
    ...node.rpc,
    batch: (requests: Parameters<typeof node.rpc.batch>[0]) => {
      asked.push(...requests)
      return node.rpc.batch(requests, signal)
    },
  }
  const query = { ...queryOf(node), rpc, wallets: [sender], firstBlock: 0, endBlock: 150 }
  const read = await readAll(query)
  assert.deepEqual(
    read.map(({ timestamp }) => timestamp),
    read.map(({ blockNumber }) => NO_LIMITS.timeOf(blockNumber)),
  )
  assert.equal(read.length, 50)
  assert.equal(asked.length, 2)
})

test('of a wallet that moves very much, a bounded part is held at a time', async () => {
  const node = createTransferNode({ ...NO_LIMITS, maxLogs: Number.POSITIVE_INFINITY })
  const sender = walletOf(1)
  // 60,000 transfers in 6,000 blocks: one answer for all blocks would hold all of them.
  node.transfers = Array.from({ length: 60_000 }, (_, at) => ({
    ...toTransfer(at),
    sender,
    blockNumber: Math.floor(at / 10),
  }))
  const query = { ...queryOf(node), wallets: [sender], firstBlock: 0, endBlock: 6_000 }
  let max = 0
  let count = 0
  for await (const some of readTransfers(query, signal)) {
    max = Math.max(max, some.length)
    count += some.length
  }
  assert.equal(count, 60_000)
  assert(max <= 20_000, `${max} at once`)
})

test('logs that were not asked for are refused', async () => {
  const node = createTransferNode()
  node.transfers = [{ ...toTransfer(0), sender: walletOf(1), blockNumber: 5 }]
  const call: TransferQuery['rpc']['call'] = async (method, params) => {
    const logs = (await node.rpc.call(method, params, signal)) as { blockNumber: string }[]
    return logs.map((log) => ({ ...log, blockNumber: '0x63' }))
  }
  const query = { ...queryOf(node), rpc: { ...node.rpc, call }, wallets: [walletOf(1)] }
  await assert.rejects(readAll({ ...query, firstBlock: 0, endBlock: 10 }), InvalidAnswer)
})

function queryOf({ rpc }: Pick<TransferQuery, 'rpc'>) {
  return { rpc, range: createRangeSize(), usdc: BASE_CONTRACTS.usdc, direction: 'out' } as const
}

async function readAll(query: TransferQuery): Promise<readonly Transfer[]> {
  const read: Transfer[] = []
  for await (const some of readTransfers(query, signal)) read.push(...some)
  return read
}

function toTransfer(at: number): Transfer {
  return {
    blockNumber: 0,
    logIndex: at,
    timestamp: 0,
    sender: walletOf(0),
    recipient: walletOf(2),
    transaction: `0x${at.toString(16).padStart(64, '0')}`,
    amount: 1n,
  }
}
