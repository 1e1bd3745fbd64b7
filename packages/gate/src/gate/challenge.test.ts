import assert from 'node:assert/strict'
import { codeOf, inWorld } from '@tollbook/testing/payments/gate-world'
import { extractDiscoveryInfoV1 } from '@x402/extensions/bazaar'

inWorld(
  'an unpaid request receives the terms of version 2 as header and those of version 1 as JSON',
  async (world) => {
    const { fetch, challenge, desk } = await world.startProcess()
    const response = await fetch('/api/say?word=hi')
    assert.equal(response.status, 402)
    assert.equal(response.headers.get('cache-control'), 'no-store')
    const body = (await response.json()) as Record<string, unknown>
    const terms = await challenge('/api/say')
    assert.equal(body.code, 'payment_required')
    assert.equal(body.x402Version, 1)
    const [{ amount, ...exact } = { amount: '' }] = terms.accepts
    const { url, description, mimeType } = terms.resource
    const [first] = body.accepts as readonly Record<string, unknown>[]
    const { outputSchema, ...accepted } = first ?? {}
    assert.deepEqual(accepted, {
      ...exact,
      network: 'base',
      maxAmountRequired: '10000',
      resource: url,
      description,
      mimeType,
    })
    assert.ok(extractDiscoveryInfoV1(first as never))
    assert.equal(amount, '10000')
    assert.equal(body.issues, undefined)
    assert.equal(desk.runs, 0)
  },
)

inWorld('the 402 of an unpaid request lists arguments that cannot be served', async (world) => {
  const { fetch } = await world.startProcess()
  const response = await fetch('/api/say?wrod=hi')
  assert.equal(response.status, 402)
  const body = (await response.json()) as { issues: readonly { parameter: string }[]; refused_as: string }
  assert.ok(body.issues.some((issue) => issue.parameter === 'wrod'))
  assert.ok(response.headers.get('payment-required'))
})

inWorld('a payment with arguments that cannot be served is rejected before it is verified', async (world) => {
  const { fetch, pay, link, desk } = await world.startProcess()
  const payment = await pay('/api/say?word=hi', world.newPayer())
  const response = await fetch(`/api/say?word=${'x'.repeat(21)}`, payment)
  assert.equal(response.status, 400)
  assert.equal(link.verifications, 0)
  assert.equal(desk.runs, 0)
})

inWorld('an endpoint that cannot be sold is never challenged', async (world) => {
  const { fetch, desk, link, gate } = await world.startProcess()
  desk.availability.isAvailable = false
  assert.equal((await fetch('/api/say?word=hi')).status, 503)
  desk.availability.isAvailable = true
  link.isHealthy = false
  await gate.start()
  assert.equal((await fetch('/api/say?word=hi')).status, 503)
  assert.equal(gate.health().isHealthy, false)
  await gate.close()
})

inWorld('a full disk is reported before any payment', async (world) => {
  const { fetch, gate, log } = await world.startProcess({ freeBytes: Number.MAX_SAFE_INTEGER })
  await gate.start()
  const response = await fetch('/api/say?word=hi')
  assert.equal(response.status, 503)
  assert.equal(await codeOf(response), 'unavailable')
  assert(log.some((line) => line.includes('nothing is sold until there is more free space')))
  await gate.close()
})

inWorld('unpaid requests of one address are limited', async (world) => {
  const { fetch } = await world.startProcess({}, 3)
  const statuses: number[] = []
  for (let count = 0; count < 5; count += 1) statuses.push((await fetch('/api/say?word=hi')).status)
  // Three, and one of the reserve for questions.
  assert.deepEqual(statuses, [402, 402, 402, 402, 429])
})

inWorld('HEAD with a payment gets a challenge, and no handler runs', async (world) => {
  const { fetch, pay, desk } = await world.startProcess()
  const payment = await pay('/api/say?word=hi', world.newPayer())
  assert.equal((await fetch('/api/say?word=hi', { ...payment, method: 'HEAD' })).status, 402)
  assert.equal(desk.runs, 0)
})
