import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Address } from '@tollbook/chain/hex'
import type { Rpc } from '@tollbook/chain/rpc/rpc'
import { NodeBehind, RpcRefusal } from '@tollbook/chain/rpc/rpc-failure'
import { InvalidAnswer } from '@tollbook/flow/failure'
import { fc, slowRuns } from '@tollbook/testing/property'
import { createTransferNode, NO_LIMITS, type TransferNode } from '@tollbook/testing/report/transfer-node'
import { BASE_CONTRACTS } from './contracts.ts'
import { createRangeSize } from './range-size.ts'
import type { Transfer } from './transfer.ts'
import { readTransfers, type TransferQuery } from './transfers.ts'

const signal = new AbortController().signal
const GET_BLOCK = 'eth_getBlockByNumber'
const GET_LOGS = 'eth_getLogs'
type RawLog = Readonly<Record<string, unknown>>
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

test('on Base the time follows from the number of the block, and only two blocks are asked for their time', async () => {
  const node = createTransferNode({ ...NO_LIMITS, tellsTime: false })
  const sender = walletOf(1)
  node.transfers = Array.from({ length: 50 }, (_, at) => ({ ...toTransfer(at), sender, blockNumber: 3 * at }))
  const requested: { readonly method: string }[] = []
  const rpc = {
    ...node.rpc,
    batch: (requests: Parameters<typeof node.rpc.batch>[0]) => {
      requested.push(...requests)
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
  // The range with its last block, then the first and the last block that has transfers.
  assert.deepEqual(requested.map(({ method }) => method).sort(), [...Array(3).fill(GET_BLOCK), GET_LOGS])
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

/** The node's answers to a method are changed, alone and in batches. */
function withAnswers(node: TransferNode, changed: string, change: (answer: unknown) => unknown): Rpc {
  const changeOne = (method: string, answer: unknown) => (method === changed ? change(answer) : answer)
  return {
    call: async (method, params) => changeOne(method, await node.rpc.call(method, params, signal)),
    async batch(requests) {
      const answers = await node.rpc.batch(requests, signal)
      return answers.map((answer, at) => changeOne(requests[at]?.method ?? '', answer))
    },
  }
}

function withLogs(node: TransferNode, change: (logs: readonly RawLog[]) => readonly RawLog[]): Rpc {
  return withAnswers(node, GET_LOGS, (logs) => change(logs as readonly RawLog[]))
}

test('logs that were not asked for are refused', async () => {
  const node = createTransferNode()
  node.transfers = [{ ...toTransfer(0), sender: walletOf(1), blockNumber: 5 }]
  const rpc = withLogs(node, (logs) => logs.map((log) => ({ ...log, blockNumber: '0x63' })))
  const query = { ...queryOf(node), rpc, wallets: [walletOf(1)] }
  await assert.rejects(readAll({ ...query, firstBlock: 0, endBlock: 10 }), InvalidAnswer)
})

test('logs that come twice are one transfer; two with one index are refused', async () => {
  const node = createTransferNode()
  node.transfers = [0, 1].map((at) => ({ ...toTransfer(at), sender: walletOf(1), blockNumber: 5 }))
  const query = { ...queryOf(node), wallets: [walletOf(1)], firstBlock: 0, endBlock: 10 }
  const twice = withLogs(node, (logs) => [...logs, ...logs])
  assert.equal((await readAll({ ...query, rpc: twice })).length, 2)
  const collided = withLogs(node, (logs) => logs.map((log) => ({ ...log, logIndex: '0x0' })))
  await assert.rejects(readAll({ ...query, rpc: collided }), InvalidAnswer)
})

test('of a node that cuts answers at 1,000 logs, no transfer is lost', async () => {
  const node = createTransferNode()
  const sender = walletOf(1)
  node.transfers = Array.from({ length: 1_500 }, (_, at) => ({ ...toTransfer(at), sender, blockNumber: at }))
  const rpc = withLogs(node, (logs) => logs.slice(0, 1_000))
  const query = { ...queryOf(node), rpc, wallets: [sender], firstBlock: 0, endBlock: 1_500 }
  assert.equal((await readAll(query)).length, 1_500)
})

test('a node that does not have the last block yet is behind, whatever logs it has', async () => {
  const node = createTransferNode()
  node.transfers = [{ ...toTransfer(0), sender: walletOf(1), blockNumber: 5 }]
  const rpc = withAnswers(node, GET_BLOCK, () => null)
  const query = { ...queryOf(node), rpc, wallets: [walletOf(1)] }
  await assert.rejects(readAll({ ...query, firstBlock: 0, endBlock: 10 }), NodeBehind)
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
