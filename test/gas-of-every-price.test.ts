import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadEndpoints } from '@tollbook/endpoints/load'
import { toGasCost } from '@tollbook/facilitator/settlement/chain/gas-cost'
import { createGasShare } from '@tollbook/gate/gate/gas-share'
import { DEFAULT_LIMITS } from '@tollbook/gate/gate/gate-options'

const { maxGasPercent } = DEFAULT_LIMITS
const GWEI = 1_000_000_000n
const ETH_USD = 3_300

/** The gas of single settlements: 86,000, and 100,000 under upto. */
function costAt(fee: bigint) {
  return { exact: toGasCost(86_000n, fee, ETH_USD), upto: toGasCost(100_000n, fee, ETH_USD) }
}

test('at the fees of Base every endpoint is sold, at one gwei none is', async () => {
  let paid = 0
  for (const service of ['social', 'utility', 'inference']) {
    for (const { pricing, id } of await loadEndpoints(new URL(`../apps/${service}/src/`, import.meta.url))) {
      if (pricing.kind === 'free') continue
      paid += 1
      // A base fee of 0.005 gwei and a tip of 0.001.
      const usual = createGasShare({ maxGasPercent, settlementCost: () => costAt((6n * GWEI) / 1_000n) })
      for (const scheme of ['exact', 'upto'] as const)
        assert.equal(usual.problem(pricing, scheme), null, `${id} by ${scheme}`)
      // 86,000 gas cost 0.28 dollars, more than twice the highest price of 0.07.
      const high = createGasShare({ maxGasPercent, settlementCost: () => costAt(GWEI) })
      assert.equal(high.problem(pricing)?.code, 'gas_too_expensive', id)
    }
  }
  assert.ok(paid > 50)
})
