import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRangeSize } from './range-size.ts'

/** Asks so often, of a node that takes at most so many blocks. @returns the sizes that were asked. */
function ask(max: number, times: number, size = createRangeSize()): readonly number[] {
  return Array.from({ length: times }, () => {
    const { blocks } = size
    if (blocks > max) size.shrink(blocks)
    else size.grow(blocks)
    return blocks
  })
}

test('what is answered is doubled, up to 10,000 blocks', () => {
  assert.deepEqual(ask(1_000_000, 5), [2_000, 4_000, 8_000, 10_000, 10_000])
})

test('what is refused is halved, and the limit of the node is found and kept', () => {
  const requested = ask(10, 40)
  // 2,000 is halved to 7; then half of the way to what was refused last.
  assert.deepEqual(requested.slice(0, 9), [2_000, 1_000, 500, 250, 125, 62, 31, 15, 7])
  assert.deepEqual(new Set(requested.slice(20)), new Set([10]))
})

test('one block is the least, and a node that lost its limit is found out', () => {
  const size = createRangeSize()
  assert.equal(ask(0, 20, size).at(-1), 1)
  assert.equal(ask(1_000_000, 1_000, size).at(-1), 10_000)
})

test('a short range, as at the head, teaches nothing', () => {
  const size = createRangeSize()
  size.grow(1)
  assert.equal(size.blocks, 2_000)
})
