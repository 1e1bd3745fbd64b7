import assert from 'node:assert/strict'
import { test } from 'node:test'
import { devMulticall3Abi } from '@tollbook/devchain/contracts/abis'
import { fc } from '@tollbook/testing/property'
import { encodeFunctionData, encodeFunctionResult } from 'viem'
import { decodeAggregate, encodeAggregate } from './multicall.ts'

const word = (value: number | string) => String(value).padStart(64, '0')
const ADDRESS = `0x${'11'.repeat(20)}` as const

test('a call is encoded as the ABI specification lays out an array of structs with bytes', () => {
  // Selector; requireSuccess; offset of the array; its length; offset of its item; target, offset of the bytes;
  // their length; the bytes, padded to a word.
  const words = [word(0), word(40), word(1), word(20), word('11'.repeat(20)), word(40), word(3)]
  const expected = `0xbce38bd7${words.join('')}abcdef${'0'.repeat(58)}`
  assert.equal(encodeAggregate([{ to: ADDRESS, data: '0xabcdef' }]), expected)
})

test('results are decoded in order, and a chain without Multicall3 is an invalid answer', () => {
  const item = (isOk: number, bytes: string) =>
    [word(isOk), word(40), word((bytes.length / 2).toString(16))].join('') + bytes
  // Two items of four words each, at 64 and 64 + 128 bytes after the length.
  const returned = [word(20), word(2), word(40), word('c0'), item(1, word(7)), item(0, '')].join('')
  assert.deepEqual(decodeAggregate(`0x${returned}`), [
    { isOk: true, data: `0x${word(7)}` },
    { isOk: false, data: '0x' },
  ])
  for (const other of ['0x', `0x${word(1)}`] as const)
    assert.throws(() => decodeAggregate(other), { name: 'InvalidAnswer' })
})

test('calls are encoded, and results decoded, as by viem', () => {
  const bytes = fc
    .uint8Array({ maxLength: 100 })
    .map((data) => `0x${Buffer.from(data).toString('hex')}` as const)
  const results = fc.array(fc.record({ success: fc.boolean(), returnData: bytes }), { maxLength: 20 })
  fc.assert(
    fc.property(results, (drawn) => {
      const calls = drawn.map(({ returnData }) => ({ to: ADDRESS, data: returnData }))
      const args = calls.map(({ to, data }) => ({ target: to, callData: data }))
      const abi = devMulticall3Abi
      assert.equal(
        encodeAggregate(calls),
        encodeFunctionData({ abi, functionName: 'tryAggregate', args: [false, args] }),
      )
      const returned = encodeFunctionResult({ abi, functionName: 'tryAggregate', result: drawn })
      assert.deepEqual(
        decodeAggregate(returned),
        drawn.map(({ success, returnData }) => ({ isOk: success, data: returnData })),
      )
    }),
  )
})
