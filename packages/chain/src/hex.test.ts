import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '@tollbook/testing/property'
import { parseAddress, parseQuantity, parseUint256, parseWord } from './hex.ts'

const malformed = { name: 'InvalidAnswer', message: 'the chain RPC returned a malformed log' }

test('every number of at most 52 bits is read as it was written', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 52 - 1 }), (number) => {
      assert.equal(parseQuantity(`0x${number.toString(16)}`, 'log'), number)
    }),
  )
})

test('what is no such number is malformed', () => {
  for (const value of ['', '0', '0x', '1x1', '0X1', '0xg', '0x1 ', '0xA', '0x12345678901234', '12', 12, null])
    assert.throws(() => parseQuantity(value, 'log'), malformed, String(value))
})

test('whatever a text is, it is a quantity just when it has 1 to 13 lower-case digits after 0x', () => {
  const text = fc.oneof(fc.string(), fc.stringMatching(/^0x[0-9a-g :@`]{0,15}$/))
  fc.assert(
    fc.property(text, (value) => {
      if (/^0x[0-9a-f]{1,13}$/.test(value)) assert.equal(parseQuantity(value, 'log'), Number(value))
      else assert.throws(() => parseQuantity(value, 'log'), malformed)
    }),
  )
})

test('words, addresses and amounts in mixed case are given in lower case', () => {
  assert.equal(parseWord(`0x${'aB'.repeat(32)}`, 'log'), `0x${'ab'.repeat(32)}`)
  assert.equal(
    parseAddress('0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', 'log'),
    '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
  )
  assert.equal(parseUint256(`0x${'0'.repeat(62)}Ff`, 'log'), 255n)
})

test('a word of another length, or with anything but digits, is malformed', () => {
  for (const value of [`0x${'1'.repeat(63)}`, `0x${'1'.repeat(65)}`, `0x${'1'.repeat(63)} `, '0x', 7n, {}]) {
    assert.throws(() => parseWord(value, 'log'), malformed)
    assert.throws(() => parseUint256(value, 'log'), malformed)
    assert.throws(() => parseAddress(value, 'log'), malformed)
  }
})
