import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseUsd } from '@tollbook/chain/usdc'
import { costOf, type Metering, meteringOf } from '@tollbook/models/tiers/metering'
import { METERED_TIERS, TIERS, type Tier } from '@tollbook/models/tiers/tier-table'
import { fc } from '@tollbook/testing/property'
import { chargeOfTokens } from '../price.ts'

function standardOf(tier: Tier): Metering {
  const metering = meteringOf(tier, undefined)
  assert.ok(metering)
  return metering
}

test('seven tiers are metered without a cap of input, and an answer costs at most the listing price', () => {
  assert.deepEqual(
    METERED_TIERS.map(({ name }) => name),
    ['tier-2', 'tier-3', 'tier-4', 'tier-5', 'tier-6', 'tier-8', 'tier-10'],
  )
  for (const tier of METERED_TIERS) {
    const { inputTokens, outputTokens: output, rates, maxCharge } = standardOf(tier)
    assert.equal(inputTokens, null)
    // Not even a prompt of 32,768 tokens and the longest answer reach it.
    assert.ok(costOf({ input: 32_768, cached: 0, output }, rates) <= maxCharge, tier.name)
  }
})

test('a call costs its tokens at their rates, each started micro-USDC rounded up', () => {
  const tier = TIERS[7] as Tier
  const { rates } = standardOf(tier)
  // Tier 8: 4,000 * 0.4 + 1,000 * 0.2 + 700 * 1.6 = 1,600 + 200 + 1,120 micro-USDC.
  assert.equal(costOf({ input: 5_000, cached: 1_000, output: 700 }, rates), 2_920n)
  // 1 * 0.4 is rounded up.
  assert.equal(costOf({ input: 1, cached: 0, output: 0 }, rates), 1n)
  assert.equal(chargeOfTokens({ input: 1, cached: 0, output: 0 }, standardOf(tier)), parseUsd('0.001'))
})

test('any call costs at most the listing price, however long its input', () => {
  const cases = METERED_TIERS.map((tier) => fc.constant(standardOf(tier)))
  fc.assert(
    fc.property(fc.oneof(...cases), fc.nat(), fc.nat(), fc.nat(), (metering, a, b, c) => {
      const use = { input: a, cached: b % (a + 1), output: c % (metering.outputTokens + 1) }
      const charge = chargeOfTokens(use, metering)
      assert.ok(charge >= 1_000n && charge <= metering.maxCharge)
    }),
  )
})

test('an operator sets rates and caps, as far as the listing price covers them', () => {
  const [tier] = METERED_TIERS as [Tier]
  const rates = { input: '0.1', cached: '0.01', output: '0.4' }
  // 0.1 * 131,072 + 0.4 * 8,192 = 16,384: above the 15,187 of tier 2.
  assert.throws(
    () => meteringOf(tier, { rates, input_tokens: 131_072 }),
    /caps cost 0.016384 dollars.*0.015187/,
  )
  // 0.4 * 40,000 = 16,000.
  assert.throws(() => meteringOf(tier, { rates, output_tokens: 40_000 }), /caps cost 0.016 dollars/)
  const metering = meteringOf(tier, { rates, output_tokens: 4_096, image_tokens: 500 })
  assert.equal(metering?.outputTokens, 4_096)
  assert.equal(metering?.imageTokens, 500)
  assert.throws(() => meteringOf(tier, { rates: { ...rates, cached: '0.2' }, output_tokens: 1 }), /cached/)
  assert.equal(meteringOf(TIERS[0] as Tier, undefined), null)
})
