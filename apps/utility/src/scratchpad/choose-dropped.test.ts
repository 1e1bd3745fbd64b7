import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chooseDropped } from './choose-dropped.ts'

const MB = 1_048_576
const versions = (...sizes: number[]) => sizes.map((bytes, at) => ({ version: at + 1, bytes }))
const droppedOf = (sizes: readonly number[], usedBytes: number, addedBytes: number) =>
  chooseDropped(versions(...sizes), { usedBytes, addedBytes }).map(({ version }) => version)

test('nine versions remain besides a new one', () => {
  assert.deepEqual(droppedOf(Array(9).fill(1), 9, 1), [])
  assert.deepEqual(droppedOf(Array(10).fill(1), 10, 1), [1])
})

test('if space is short, as many of the oldest versions as needed are dropped', () => {
  // 100 MB are 104,857,600 bytes; 99.5 MB are used, and 1 MB is added.
  assert.deepEqual(droppedOf([MB / 4, MB / 4, MB / 4], 99.5 * MB, MB), [1, 2])
  assert.deepEqual(droppedOf([MB / 4, MB / 4, MB / 4], 99.5 * MB + 1, MB), [1, 2, 3])
  assert.deepEqual(droppedOf([MB / 2], 99.5 * MB, MB / 2), [])
  // Not even all of them are enough: the write is then rejected.
  assert.deepEqual(droppedOf([1, 1], 100 * MB, 3), [1, 2])
})
