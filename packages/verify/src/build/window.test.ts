import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BASE } from '@tollbook/chain/network'
import { lastWeekEnd, listWeekEnds, toEarlier, toScreened, toWindow } from './window.ts'

const coverage = { endBlock: 1_000_000 }
/** Read from the first second of the week before `end`. */
const indexedSince = 2_000_000 - 604_800

test('a week ends with the first block of Base at or after Sunday 12:00:00 UTC', () => {
  const sunday = Date.UTC(2026, 10, 15, 12, 0, 0) / 1000
  const end = lastWeekEnd(Date.UTC(2026, 10, 21) / 1000)
  assert.equal(end, sunday + 1)
  assert.equal((end - BASE.genesisSeconds) % BASE.blockSeconds, 0)
  assert.equal(lastWeekEnd(end), end)
  assert.equal(lastWeekEnd(end - 1), end - 604_800)
  assert.equal(new Date(lastWeekEnd(12345) * 1000).toISOString(), '1969-12-28T12:00:01.000Z')
})

test('a window is seven days and 302,400 blocks', () => {
  const window = toWindow({ endBlock: 500_000, end: 2_000_000, finalHead: 500_000, coverage, indexedSince })
  assert.deepEqual(window, {
    startBlock: 197_600,
    endBlock: 500_000,
    start: 1_395_200,
    end: 2_000_000,
    isComplete: true,
    isEarlierRead: false,
  })
  assert.equal(toEarlier(window), null)
})

test('the week before a window is known if all of it was read', () => {
  const ends = { endBlock: 500_000, end: 2_000_000, finalHead: 500_000, coverage }
  const read = (days: number, since: number) => toEarlier(toWindow({ ...ends, days, indexedSince: since }))
  assert.deepEqual(read(7, 790_400), { start: 790_400, end: 1_395_200 })
  assert.equal(read(7, 790_401), null)
  assert.deepEqual(read(1, 1_308_800), { start: 1_308_800, end: 1_913_600 })
})

test('a window of another length ends with the same block, and one of a day is screened for seven days', () => {
  const ends = { endBlock: 500_000, end: 2_000_000, finalHead: 500_000, coverage, indexedSince }
  const [day, month] = [toWindow({ ...ends, days: 1 }), toWindow({ ...ends, days: 30 })]
  assert.deepEqual([day.startBlock, day.start, day.isComplete], [456_800, 1_913_600, true])
  assert.deepEqual(toScreened(day), { start: 1_395_200, end: 2_000_000 })
  // 30 x 43,200 blocks; the index begins 23 days later.
  assert.deepEqual([month.startBlock, month.start, month.isComplete], [-796_000, -592_000, false])
  assert.deepEqual(toScreened(month), { start: -592_000, end: 2_000_000 })
  assert(!toWindow({ ...ends, days: 1, indexedSince: indexedSince + 1 }).isComplete)
})

test('a window is complete when its end is final and all of its blocks were read', () => {
  const isComplete = (change: Partial<Parameters<typeof toWindow>[0]>) =>
    toWindow({ endBlock: 500_000, end: 2_000_000, finalHead: 500_000, coverage, indexedSince, ...change })
      .isComplete
  assert(!isComplete({ finalHead: 499_999 }))
  assert(!isComplete({ coverage: { endBlock: 499_999 } }))
  assert(isComplete({ coverage: { endBlock: 500_000 } }))
})

test('a window that begins before the chain, or before its first indexed block, is not complete', () => {
  const since = (indexedSince: number, endBlock = 500_000) =>
    toWindow({ endBlock, end: 2_000_000, finalHead: 500_000, coverage, indexedSince }).isComplete
  assert(since(1_395_200))
  assert(!since(1_395_201))
  // Blocks need not be two seconds apart.
  assert(since(1_395_200, 100))
  assert(!since(1_395_201, 100))
})

test('weeks that can be complete are listed from the start of indexing, oldest first', () => {
  const end = Date.UTC(2026, 10, 15, 12, 0, 1) / 1000
  const week = 604_800
  const since = (indexedSince: number, until = end) =>
    listWeekEnds({ indexedSince, until }).map((each) => (each - end) / week)
  // Indexing, or the chain, begins with the week's first second, or one later: then the first complete week is
  // a week later.
  assert.deepEqual(since(end - week), [0])
  assert.deepEqual(since(end - week + 1), [])
  assert.deepEqual(since(end - week + 1, end + week), [1])
  assert.deepEqual(since(end - 3 * week, end + week - 1), [-2, -1, 0])
})
