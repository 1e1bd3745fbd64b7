import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRotation } from './rotation.ts'

test('rows advance evenly, none beyond its concurrency limit, until all are finished', () => {
  const rotation = createRotation([
    { owner: 'a', items: [1, 2, 3].values(), max: 1 },
    { owner: 'b', items: [4, 5].values(), max: 2 },
  ])
  const take = () => {
    const taken = rotation.take()
    return taken && { ...taken, name: `${taken.owner}${taken.item}` }
  }
  const first = take()
  assert.deepEqual(
    [first, take(), take(), take()].map((each) => each?.name),
    ['a1', 'b4', 'b5', undefined],
  )
  first?.end()
  const second = take()
  assert.deepEqual([second?.name, take()], ['a2', null])
  second?.end()
  assert.deepEqual([take()?.name, take()], ['a3', null])
})
