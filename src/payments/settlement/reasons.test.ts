import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RpcRefusal } from '../../chain/rpc/settlement-rpc.ts'
import { causeOf, isExecutionFailure } from './reasons.ts'

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

test('a failure because of lateness or a lagging node is not the payer’s', () => {
  for (const kind of ['used', 'ended', 'early'] as const) assert.equal(causeOf(kind), 'operator')
  for (const kind of ['balance', 'allowance', 'signature', 'other'] as const)
    assert.equal(causeOf(kind), 'payer')
})
