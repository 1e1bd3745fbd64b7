import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '@tollbook/testing/property'
import { hashTypedData as hashByViem, type TypedDataDefinition } from 'viem'
import { serializeTypedData as serializeByViem } from 'viem/utils'
import { toChecksumAddress } from './checksum-address.ts'
import { devPayTo } from './dev-accounts.ts'
import type { Hex } from './hex.ts'
import { BASE } from './network.ts'
import { hashTypedData, serializeTypedData, type TypedData } from './typed-data.ts'

const bytes = (minLength: number, maxLength = minLength) =>
  fc.uint8Array({ minLength, maxLength }).map((content): Hex => `0x${Buffer.from(content).toString('hex')}`)

const address = fc.constantFrom(BASE.usdc, toChecksumAddress(BASE.usdc), toChecksumAddress(devPayTo.utility))

/** Types of values, with a value of each. */
const atom: fc.Arbitrary<{ type: string; value: unknown }> = fc.oneof(
  fc.string({ unit: 'grapheme' }).map((value) => ({ type: 'string', value })),
  bytes(0, 70).map((value) => ({ type: 'bytes', value })),
  fc.boolean().map((value) => ({ type: 'bool', value })),
  fc.oneof(bytes(20), address).map((value) => ({ type: 'address', value })),
  fc
    .integer({ min: 1, max: 32 })
    .chain((size) => bytes(size).map((value) => ({ type: `bytes${size}`, value }))),
  fc.integer({ min: 1, max: 32 }).chain((size) => {
    const max = 2n ** BigInt(8 * size)
    return fc.oneof(
      fc.bigInt(0n, max - 1n).map((value) => ({ type: `uint${8 * size}`, value })),
      fc.bigInt(-max / 2n, max / 2n - 1n).map((value) => ({ type: `int${8 * size}`, value })),
    )
  }),
  fc.nat().map((value) => ({ type: 'uint40', value })),
)

/** A struct of atoms, of lists of one atom, of a struct of atoms, and of lists of that. */
// The version of a domain is not empty: viem leaves it out.
const typed: fc.Arbitrary<TypedData> = fc
  .record({
    outer: fc.array(atom, { maxLength: 4 }),
    repeated: atom,
    times: fc.nat(3),
    isFixed: fc.boolean(),
    inner: fc.array(atom, { minLength: 1, maxLength: 3 }),
    domain: fc.record(
      {
        name: fc.string(),
        version: fc.string({ minLength: 1 }),
        chainId: fc.nat(),
        verifyingContract: address,
        salt: bytes(32),
      },
      { requiredKeys: [] },
    ),
  })
  .map(({ outer, repeated, times, isFixed, inner, domain }) => {
    const fields = (all: readonly { type: string }[], prefix: string) =>
      all.map(({ type }, at) => ({ name: `${prefix}${at}`, type }))
    const values = (all: readonly { value: unknown }[], prefix: string) =>
      Object.fromEntries(all.map(({ value }, at) => [`${prefix}${at}`, value]))
    const part = values(inner, 'i')
    return {
      domain,
      primaryType: 'Outer',
      types: {
        Zone: fields(inner, 'i'),
        Outer: [
          ...fields(outer, 'o'),
          { name: 'list', type: `${repeated.type}[${isFixed ? times : ''}]` },
          { name: 'zone', type: 'Zone' },
          { name: 'zones', type: 'Zone[]' },
          { name: 'grid', type: 'Area[][]' },
        ],
        Area: [{ name: 'zones', type: 'Zone[2]' }],
      },
      message: {
        ...values(outer, 'o'),
        list: Array.from({ length: times }, () => repeated.value),
        zone: part,
        zones: Array.from({ length: times }, () => part),
        grid: [[{ zones: [part, part] }], []],
      },
    }
  })

test('typed data of any types has the digest that viem computes', () => {
  fc.assert(
    fc.property(typed, (data) => {
      const expected = hashByViem(data as unknown as TypedDataDefinition)
      assert.equal(`0x${hashTypedData(data).toString('hex')}`, expected)
    }),
    { numRuns: 300 },
  )
})

test('it is serialized as by viem, with the type of its domain', () => {
  fc.assert(
    fc.property(typed, (data) => {
      const serialized = JSON.parse(serializeTypedData(data))
      const { EIP712Domain } = serialized.types
      assert.deepEqual(
        EIP712Domain.map(({ name }: { name: string }) => name).sort(),
        Object.keys(data.domain).sort(),
      )
      const complete = { ...data, types: { EIP712Domain, ...data.types } } as unknown as TypedDataDefinition
      assert.deepEqual(serialized, JSON.parse(serializeByViem(complete)))
    }),
  )
})

test('the example of EIP-712 has its digest', () => {
  const person = [
    { name: 'name', type: 'string' },
    { name: 'wallet', type: 'address' },
  ]
  const mail: TypedData = {
    domain: {
      name: 'Ether Mail',
      version: '1',
      chainId: 1,
      verifyingContract: '0xCcCCccccCCCCcCCCCCCcCcCccCcCCCcCcccccccC',
    },
    primaryType: 'Mail',
    types: {
      Person: person,
      Mail: [
        { name: 'from', type: 'Person' },
        { name: 'to', type: 'Person' },
        { name: 'contents', type: 'string' },
      ],
    },
    message: {
      from: { name: 'Cow', wallet: '0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826' },
      to: { name: 'Bob', wallet: '0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB' },
      contents: 'Hello, Bob!',
    },
  }
  // https://github.com/ethereum/EIPs/blob/master/assets/eip-712/Example.js
  assert.equal(
    hashTypedData(mail).toString('hex'),
    'be609aee343fb3c4b28e1df9e632fca64fcfaede20f02e86244efddf30957bd2',
  )
})

test('a value that is not of its type is refused', () => {
  const refuses = (type: string, value: unknown) =>
    assert.throws(
      () =>
        hashTypedData({
          domain: {},
          primaryType: 'One',
          types: { One: [{ name: 'value', type }], Empty: [] },
          message: { value },
        }),
      TypeError,
      `${type} ${value}`,
    )
  for (const type of ['uint8', 'int8', 'bool', 'bytes', 'bytes4', 'address', 'string', 'uint8[]', 'Empty'])
    refuses(type, undefined)
  refuses('uint8', 256n)
  refuses('uint8', -1)
  refuses('int8', 128)
  refuses('int8', -129)
  refuses('uint256', 1.5)
  refuses('uint256', '0x1')
  refuses('uint7', 1)
  refuses('uint', 1)
  refuses('bytes33', `0x${'00'.repeat(33)}`)
  refuses('bytes4', '0x0000')
  refuses('address', `0x${'00'.repeat(19)}`)
  refuses('bytes', '0x0')
  refuses('bytes', 'ab')
  refuses('bool', 1)
  refuses('uint8[2]', [1])
  refuses('Absent', {})
})
