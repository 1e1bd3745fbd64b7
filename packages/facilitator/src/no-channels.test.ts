import assert from 'node:assert/strict'
import { test } from 'node:test'
import { devPayTo } from '@tollbook/chain/dev-accounts'
import { BASE } from '@tollbook/chain/network'
import { createRateLimiter } from '@tollbook/http/request/rate-limit'
import { runEndpoint } from '@tollbook/testing/catalogue/run-endpoint'
import { createFacilitatorEndpoints } from './endpoints.ts'
import { openApiKeys } from './ports.ts'

const results: unknown[] = []
const ports = {
  channels: null,
  network: BASE,
  isLocal: true,
  wallets: [devPayTo.utility],
  apiKeys: openApiKeys([]),
  limiter: createRateLimiter(100),
  settledLimiter: createRateLimiter(100),
  metrics: { noteResult: (outcome: string, reason: string) => results.push([outcome, reason]) },
}
const call = (id: string, given: object) => {
  const endpoint = createFacilitatorEndpoints(BASE).find((each) => each.id === id)
  assert.ok(endpoint)
  return runEndpoint(endpoint, given, { ports })
}
const terms = { scheme: 'batch-settlement', network: BASE.id, asset: BASE.usdc, payTo: devPayTo.social }
const requirements = { ...terms, amount: '1000', maxTimeoutSeconds: 60, extra: {} }
const request = {
  x402Version: 2,
  paymentPayload: { x402Version: 2, accepted: requirements, payload: { type: 'voucher' } },
  paymentRequirements: requirements,
}

test('a facilitator without an escrow does not offer payment channels, and refuses them by their scheme', async () => {
  const { kinds } = await call('supported', {})
  assert.deepEqual(
    kinds.map(({ scheme }: { scheme: string }) => scheme),
    ['exact', 'upto', 'exact'],
  )
  const { isValid, invalidReason } = await call('verify', request)
  assert.deepEqual([isValid, invalidReason], [false, 'unsupported_scheme'])
  const { success, errorReason, transaction } = await call('settle', request)
  assert.deepEqual([success, errorReason, transaction], [false, 'unsupported_scheme', ''])
  assert.deepEqual(results, [['refused', 'unsupported_scheme']])
})
