import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '@tollbook/testing/property'
import { findFirstBlockSince, readBlock, requireBlock } from './blocks.ts'
import { toQuantity } from './hex.ts'
import type { Rpc } from './rpc/rpc.ts'

/** A node whose blocks have these times; it counts the reads. */
function createNode(times: readonly number[]) {
  const node = { reads: 0 }
  const read = (name: unknown) => {
    node.reads++
    const number = Number(name)
    const time = times[number]
    if (time === undefined) return null
    return { number: toQuantity(number), hash: `0x${'1'.repeat(64)}`, timestamp: toQuantity(time) }
  }
  const rpc: Rpc = {
    call: async (_, [name]) => read(name),
    batch: async (requests) => requests.map(({ params: [name] }) => read(name)),
  }
  return { node, rpc }
}

test('the first block since a time is found on blocks of any distance', async () => {
  const gaps = fc.array(fc.oneof(fc.nat(3), fc.nat(100_000)), { minLength: 1, maxLength: 400 })
  await fc.assert(
    fc.asyncProperty(gaps, fc.double({ min: -0.1, max: 1.1, noNaN: true }), async (steps, share) => {
      const times = steps.map((_, at) => 1_000 + steps.slice(0, at + 1).reduce((sum, gap) => sum + gap, 0))
      const { node, rpc } = createNode(times)
      const head = await requireBlock(rpc, times.length - 1)
      const [first = 0] = times
      const time = Math.round(first + share * (head.timestamp - first))
      const expected = times.findIndex((one) => one >= time)
      const found = await findFirstBlockSince(rpc, { time, head })
      assert.equal(found?.number ?? -1, expected)
      // Every other step halves at most 2^9 blocks; the head and block 0 are read as well.
      assert.ok(node.reads <= 2 * 9 + 2, `${node.reads} reads`)
    }),
  )
})

test('evenly spaced blocks need few reads', async () => {
  const { node, rpc } = createNode(Array.from({ length: 100_000 }, (_, at) => 1_000 + 2 * at))
  const found = await findFirstBlockSince(rpc, { time: 123_457, head: await requireBlock(rpc, 99_999) })
  // (123,457 - 1,000) / 2 = 61,228.5
  assert.equal(found?.number, 61_229)
  assert.ok(node.reads <= 7, `${node.reads} reads`)
})

test('a block that the node does not have is null, or an error of a lagging node', async () => {
  const { rpc } = createNode([1])
  assert.equal(await readBlock(rpc, 1), null)
  await assert.rejects(requireBlock(rpc, 1), { name: 'NodeBehind' })
})

test('a malformed block is an invalid answer', async () => {
  const whole = { number: '0x1', hash: `0x${'1'.repeat(64)}`, timestamp: '0x2', baseFeePerGas: '0x3b9aca00' }
  const rpcOf = (block: unknown): Rpc => ({ call: async () => block, batch: async () => [block] })
  assert.equal((await readBlock(rpcOf(whole), 1))?.baseFeePerGas, 1_000_000_000n)
  for (const part of [{ number: 1 }, { hash: '0x1' }, { timestamp: '2' }, { baseFeePerGas: '0x' }])
    await assert.rejects(readBlock(rpcOf({ ...whole, ...part }), 1), { name: 'InvalidAnswer' })
})
