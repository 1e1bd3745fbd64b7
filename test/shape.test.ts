import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MAX_FUNCTION_LINES, measureShape } from './shape.ts'

const { functions, spreads } = measureShape()

test(`no function has more than ${MAX_FUNCTION_LINES} lines, comments and blank lines included`, () => {
  assert.deepEqual(functions, [])
})

test('no object is spread into the options of several factories', () => {
  assert.deepEqual(spreads, [])
})
