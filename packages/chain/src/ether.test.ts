import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '@tollbook/testing/property'
import { formatEther as formatByViem } from 'viem/utils'
import { formatEther } from './ether.ts'

test('ETH is written as viem writes it', () => {
  assert.equal(formatEther(1_500_000_000_000_000n), '0.0015')
  const round = fc
    .tuple(fc.bigInt(-1_000_000n, 1_000_000n), fc.nat(21))
    .map(([few, zeros]) => few * 10n ** BigInt(zeros))
  fc.assert(
    fc.property(fc.oneof(fc.bigInt(), round), (wei) => assert.equal(formatEther(wei), formatByViem(wei))),
  )
})
