import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CONTRACTS } from '@tollbook/chain/contracts'
import type { Hex } from '@tollbook/chain/hex'
import type { Rpc } from '@tollbook/chain/rpc/rpc'
import { Overloaded } from '@tollbook/chain/rpc/rpc-failure'
import { TOPIC } from '@tollbook/chain/topics'
import { createChannelHistory } from './channel-history.ts'

const signal = new AbortController().signal

type Creation = { readonly block: number; readonly channel: number }
type Fork = { readonly name: number; readonly from: number; readonly creations: readonly Creation[] }

/** A chain whose blocks from one on can be replaced, as a node of it answers. */
function startChain(creations: readonly Creation[]) {
  const read: number[] = []
  let fork: Fork = { name: 1, from: 0, creations }
  let beforeLogs = () => {}
  const answer = (method: string, [asked]: readonly unknown[]): unknown => {
    if (method === 'eth_getBlockByNumber') {
      const name = Number(asked) >= fork.from ? fork.name : 1
      return { number: asked, hash: toWord(1_000_000 * name + Number(asked)), timestamp: asked }
    }
    beforeLogs()
    const { fromBlock, toBlock } = asked as Record<'fromBlock' | 'toBlock', Hex>
    for (let block = Number(fromBlock); block <= Number(toBlock); block++) read.push(block)
    return fork.creations
      .filter(({ block }) => Number(fromBlock) <= block && block <= Number(toBlock))
      .map(({ block, channel }) => ({
        topics: [TOPIC.channelCreated, toWord(channel)],
        data: '0xAB',
        blockNumber: `0x${block.toString(16)}`,
      }))
  }
  const rpc: Rpc = {
    call: async (method, params) => answer(method, params),
    batch: async (requests) => requests.map(({ method, params }) => answer(method, params)),
  }
  const history = createChannelHistory()
  return {
    replace: (from: number, others: readonly Creation[]) => {
      fork = { name: fork.name + 1, from, creations: others }
    },
    /** Before each response with logs. */
    setBeforeLogs: (act: () => void) => {
      beforeLogs = act
    },
    async read(firstBlock: number, endBlock: number) {
      const found = await history.read({ rpc, escrow: CONTRACTS.channelEscrow, firstBlock, endBlock }, signal)
      return [...found].map(([id, { block }]) => [Number(id), block])
    },
    /** How many blocks were read since the last time, and whether one was read twice. */
    takeRead() {
      const blocks = read.splice(0)
      return { blocks: blocks.length, isOnce: new Set(blocks).size === blocks.length }
    },
  }
}

function toWord(number: number): Hex {
  return `0x${number.toString(16).padStart(64, '0')}`
}

test('ranges that move forward read each block once, and channels before them are forgotten', async () => {
  const chain = startChain([
    { block: 5, channel: 1 },
    { block: 4_000, channel: 2 },
    { block: 7_000, channel: 1 },
  ])
  assert.deepEqual(await chain.read(0, 6_000), [
    [1, 5],
    [2, 4_000],
  ])
  assert.deepEqual(await chain.read(10, 5_000), [[2, 4_000]])
  assert.deepEqual(await chain.read(20, 8_000), [
    [2, 4_000],
    [1, 7_000],
  ])
  assert.deepEqual(await chain.read(4_500, 8_000), [[1, 7_000]])
  assert.deepEqual(chain.takeRead(), { blocks: 8_000, isOnce: true })
  // One that begins earlier is read completely.
  assert.equal((await chain.read(4_000, 8_000)).length, 2)
  assert.deepEqual(chain.takeRead(), { blocks: 4_000, isOnce: true })
})

test('after a reorganisation, the blocks of the old chain count no longer', async () => {
  const chain = startChain([{ block: 90, channel: 1 }])
  assert.deepEqual(await chain.read(0, 100), [[1, 90]])
  chain.replace(95, [{ block: 97, channel: 2 }])
  assert.deepEqual(await chain.read(0, 100), [[2, 97]])
  chain.replace(95, [{ block: 98, channel: 3 }])
  assert.deepEqual(await chain.read(1, 120), [[3, 98]])
})

test('a reorganisation between two responses fails the read, and the next one is of the new chain', async () => {
  const chain = startChain([{ block: 90, channel: 1 }])
  await chain.read(0, 100)
  chain.setBeforeLogs(() => chain.replace(95, [{ block: 97, channel: 2 }]))
  await assert.rejects(chain.read(1, 120), { name: 'RetryableError' })
  chain.setBeforeLogs(() => {})
  assert.deepEqual(await chain.read(1, 120), [[2, 97]])
})

test('a read that failed in the middle goes on from there', async () => {
  const chain = startChain([{ block: 90, channel: 1 }])
  await chain.read(0, 5_000)
  chain.setBeforeLogs(() => {
    throw new Overloaded('the node is down')
  })
  await assert.rejects(chain.read(10, 20_000), { message: 'the node is down' })
  chain.setBeforeLogs(() => {})
  assert.deepEqual(await chain.read(10, 20_000), [[1, 90]])
  assert.deepEqual(chain.takeRead(), { blocks: 20_000, isOnce: true })
})
