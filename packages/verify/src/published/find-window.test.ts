import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BASE } from '@tollbook/chain/network'
import type { Rpc } from '@tollbook/chain/rpc/rpc'
import { requireLogs } from '../recompute/require-logs.ts'
import { findWindow, isWeekEnd } from './find-window.ts'

const signal = new AbortController().signal
/** Sunday 2026-11-15 12:00:01 UTC; (1794744001 - 1686789347) / 2 = 53977327. */
const END = 1_794_744_001
const END_BLOCK = 53_977_327
const HEAD = END_BLOCK + 100_000

/** A node of a chain timed like Base, whose newest 1,000 blocks are not final; counts its requests. */
function baseNode(logs: readonly unknown[] = []): Rpc & { readonly asked: string[] } {
  const requested: string[] = []
  const call: Rpc['call'] = async (method, [name]) => {
    requested.push(`${method} ${String(name)}`)
    if (method === 'eth_getLogs') return logs
    const number = name === 'latest' ? HEAD : name === 'finalized' ? HEAD - 1_000 : Number(name)
    if (number > HEAD) return null
    const timestamp = BASE.genesisSeconds + 2 * number
    return {
      number: `0x${number.toString(16)}`,
      timestamp: `0x${timestamp.toString(16)}`,
      hash: `0x${number.toString(16).padStart(64, '0')}`,
    }
  }
  return {
    asked: requested,
    call,
    batch: (requests) => Promise.all(requests.map(({ method, params }) => call(method, params, signal))),
  }
}

const WEEK = {
  startBlock: END_BLOCK - 302_400,
  endBlock: END_BLOCK,
  start: END - 604_800,
  end: END,
  isComplete: true,
  isEarlierRead: true,
}

test('a week is found by its end time, with five headers when its block number is correct', async () => {
  assert(isWeekEnd(END) && !isWeekEnd(END + 2))
  const node = baseNode()
  const found = await findWindow(node, { end: END, endBlock: END_BLOCK }, signal)
  assert.deepEqual(found, { window: WEEK, firstBlock: WEEK.startBlock, isEven: true })
  assert.equal(node.asked.length, 5)
})

test('a wrong block number does not change the week found by its end time', async () => {
  for (const endBlock of [END_BLOCK - 1, END_BLOCK + 1, 1, -5, HEAD + 1, undefined]) {
    const found = await findWindow(baseNode(), { end: END, endBlock }, signal)
    assert.deepEqual(found.window, WEEK)
  }
})

test('a window identified by its block ends with the time of the block', async () => {
  const { window } = await findWindow(baseNode(), { endBlock: END_BLOCK + 7 }, signal)
  assert.deepEqual([window.end, window.start], [END + 14, END + 14 - 604_800])
  const newest = await findWindow(baseNode(), 'newest', signal)
  assert.equal(newest.window.endBlock, HEAD - 1_000)
  assert(newest.window.isComplete)
  assert(!(await findWindow(baseNode(), { endBlock: HEAD }, signal)).window.isComplete)
})

test('a window that begins before the first block of the chain is not complete', async () => {
  // 302,400 blocks of two seconds are the week; one less and the chain is too young.
  const endingAt = async (endBlock: number) => (await findWindow(baseNode(), { endBlock }, signal)).window
  assert((await endingAt(302_400)).isComplete)
  assert(!(await endingAt(302_399)).isComplete)
})

test('a window that the chain has not reached cannot be checked', async () => {
  const later = END + 604_800
  await assert.rejects(findWindow(baseNode(), { end: later }, signal), /before the window's end/)
  await assert.rejects(findWindow(baseNode(), { endBlock: HEAD + 1 }, signal), /is not on the chain/)
})

test('a node without any USDC log in ten blocks of Base has lost its logs', async () => {
  const found = await findWindow(baseNode(), { end: END }, signal)
  await assert.rejects(requireLogs(baseNode(), found, signal), /has no logs of block 53674927/)
  await requireLogs(baseNode([{}]), found, signal)
  // On a chain with another block time, blocks without a transfer are normal.
  await requireLogs(baseNode(), { ...found, isEven: false }, signal)
})
