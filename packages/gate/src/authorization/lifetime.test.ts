import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEV_CLIENT_KEYS } from '@tollbook/chain/dev-accounts'
import { exactTerms, makeExact } from '@tollbook/testing/payments/offered-payment'
import { checkLifetime } from './lifetime.ts'

const NOW = 1_790_000_000

/** The reason for rejecting a payment that is valid from `after` to `before`, both relative to now. */
async function reasonFor(after: number, before: number): Promise<unknown> {
  const lifetime = { validAfter: NOW + after, validBefore: NOW + before }
  const payment = await makeExact(DEV_CLIENT_KEYS[0], exactTerms('2237'), lifetime)
  return checkLifetime(payment, NOW)?.members?.reason
}

test('a payment must have begun, have six seconds left and end within the offered lifetime', async () => {
  // 60 s were offered, and clocks may differ by 60 s, so 120 s is the maximum.
  assert.equal(await reasonFor(-600, 60), undefined)
  assert.equal(await reasonFor(0, 6), undefined)
  assert.equal(await reasonFor(-600, 120), undefined)
  assert.equal(await reasonFor(-600, 5), 'invalid_exact_evm_payload_authorization_valid_before')
  assert.equal(await reasonFor(-600, -1), 'invalid_exact_evm_payload_authorization_valid_before')
  assert.equal(await reasonFor(1, 60), 'invalid_exact_evm_payload_authorization_valid_after')
  assert.equal(await reasonFor(-600, 121), 'payment_lifetime_too_long')
})

test('a permit that ends before the settlement is rejected', async () => {
  const payment = await makeExact(DEV_CLIENT_KEYS[0], exactTerms('2237'), { validBefore: NOW + 60 })
  const withPermit = (deadline: number) => ({ ...payment, permit: { deadline, signature: '0x' as const } })
  assert.equal(checkLifetime(withPermit(NOW + 6), NOW), null)
  assert.equal(checkLifetime(withPermit(NOW + 5), NOW)?.members?.reason, 'eip2612_deadline_expired')
})
