import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRandom } from '@tollbook/devchain/demo-week/random'
import { drawExpression } from './draw-expressions.ts'
import { fuzzExpressions } from './fuzz-expressions.ts'

// `npm run fuzz` draws 100,000.
const COUNT = 1_500

test('drawn expressions return a value or an error of the calculator, and many of both', () => {
  const { values, refusals, violations } = fuzzExpressions({ count: COUNT, seed: 7 })
  assert.deepEqual(violations, [])
  assert.equal(values + refusals, COUNT)
  assert.ok(values > COUNT / 5 && refusals > COUNT / 5, `${values} values, ${refusals} refusals`)
})

test('a seed draws the same expressions again, and another seed draws others', () => {
  const draw = (seed: number) => {
    const random = createRandom(seed)
    return Array.from({ length: 20 }, () => drawExpression(random))
  }
  assert.deepEqual(draw(1), draw(1))
  assert.notDeepEqual(draw(1), draw(2))
})
