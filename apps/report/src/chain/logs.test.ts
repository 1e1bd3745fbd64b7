import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createReadRpc } from '@tollbook/chain/rpc/read-rpc'
import { RpcRefusal } from '@tollbook/chain/rpc/rpc-failure'
import { TOPIC } from '@tollbook/chain/topics'
import { startJsonRpcServer } from '@tollbook/testing/chain/json-rpc-server'
import { announcingEvents, BASE_CONTRACTS } from '@tollbook/verify/chain/contracts'
import { findAllTransactions } from '@tollbook/verify/chain/logs'
import { createRangeSize } from '@tollbook/verify/chain/range-size'

const signal = new AbortController().signal
const server = await startJsonRpcServer()
after(() => server.close())

test('a range of logs that is refused is read by halves, and a single block that is refused is given up', async () => {
  const hash = (number: number) => `0x${number.toString(16).padStart(64, '0')}`
  const max = 3
  server.setAnswer(([request]) => {
    const filter = request?.params[0] as { fromBlock: string; toBlock: string }
    const [from, to] = [Number(filter.fromBlock), Number(filter.toBlock)]
    if (to - from + 1 > max || from === 99)
      return { id: 0, error: { code: -32005, message: 'query returned more than 3 results' } }
    const logs = Array.from({ length: to - from + 1 }, (_, at) => ({
      address: BASE_CONTRACTS.usdc,
      topics: [TOPIC.authorizationUsed],
      transactionHash: hash(from + at),
      blockNumber: `0x${(from + at).toString(16)}`,
      blockHash: hash(0),
      logIndex: '0x0',
    }))
    const header = { number: filter.toBlock, hash: hash(to), timestamp: '0x1' }
    return [
      { id: 1, result: header },
      { id: 0, result: logs },
    ]
  })
  const node = { rpc: createReadRpc({ url: server.url }), range: createRangeSize() }
  const range = { firstBlock: 10, endBlock: 23, announcing: announcingEvents(BASE_CONTRACTS) }
  const found = await findAllTransactions(node, range, signal)
  assert.deepEqual(
    found.transactions.map(({ transaction }) => Number(transaction)),
    Array.from({ length: 13 }, (_, at) => 10 + at),
  )
  assert.equal(found.last.number, 22)
  assert.equal(node.range.blocks, 3)
  await assert.rejects(
    findAllTransactions(node, { ...range, firstBlock: 99, endBlock: 100 }, signal),
    RpcRefusal,
  )
})
