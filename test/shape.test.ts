import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MAX_FUNCTION_LINES, measureShape } from './shape.ts'

const { functions, spreads } = measureShape()
/** Folders that still have such functions and spreads. */
const LATER = ['src/buying/', 'src/facilitator/', 'src/payments/', 'src/state/']
const isDue = ({ file }: { readonly file: string }) => !LATER.some((folder) => file.startsWith(folder))

test(`no function has more than ${MAX_FUNCTION_LINES} lines, comments and blank lines included`, () => {
  assert.deepEqual(functions.filter(isDue), [])
})

test('no object is spread into the options of several factories', () => {
  assert.deepEqual(spreads.filter(isDue), [])
})
