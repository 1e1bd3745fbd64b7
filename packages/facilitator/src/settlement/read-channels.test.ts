import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toFunctionSelector } from 'viem'
import { READS } from './read-channels.ts'

test('the selectors of the escrow are those of its functions', () => {
  for (const [name, selector] of Object.entries(READS))
    assert.equal(selector, toFunctionSelector(`function ${name}(bytes32)`))
})
