import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isExecutionFailure, RpcRefusal, toFailure } from './rpc-failure.ts'

/** Error objects as nodes return them for eth_call. */
const EXECUTION = [
  { code: 3, message: 'execution reverted', data: '0x08c379a0' },
  { code: -32000, message: 'out of gas', data: '0x' },
  { code: -32000, message: 'invalid opcode: INVALID', data: '0x' },
  { code: -32015, message: 'VM execution error.', data: '0x' },
  { code: -32003, message: 'EVM error OutOfGas', data: '0x' },
] as const
const NODE = [
  { code: -32005, message: 'daily request count exceeded, request rate limited', data: '0x' },
  { code: -32016, message: 'over rate limit', data: '0x' },
  { code: -32601, message: 'the method eth_call does not exist/is not available', data: '0x' },
  { code: -32603, message: 'Internal error', data: '0x' },
] as const

test('an error from a contract is distinguished from an error of the node', () => {
  const isExecution = (error: ConstructorParameters<typeof RpcRefusal>[1]) =>
    isExecutionFailure(new RpcRefusal('eth_call', error))
  for (const error of EXECUTION) assert.equal(isExecution(error), true, error.message)
  for (const error of NODE) assert.equal(isExecution(error), false, error.message)
})

test('the text of a revert is not mistaken for a rate limit or a lagging node', () => {
  // A contract wallet chooses this text; without it, the call would count as the node's failure.
  for (const text of ['too many requests', 'header not found', 'batch too large']) {
    const reverts = [
      { code: 3, message: `execution reverted: ${text}`, data: '0x08c379a0' },
      { code: -32000, message: `execution reverted: ${text}` },
      { code: 3, message: text },
    ] as const
    for (const error of reverts) assert.equal(toFailure('eth_call', error, 2).name, 'RpcRefusal')
    assert.notEqual(toFailure('eth_call', { code: -32000, message: text }, 2).name, 'RpcRefusal')
  }
})
