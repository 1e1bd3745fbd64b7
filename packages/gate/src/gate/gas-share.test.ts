import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codeOf, inWorld } from '@tollbook/testing/payments/gate-world'
import { createGasShare } from './gas-share.ts'

test('a settlement of less than a thousandth of a dollar is compared with what it moves', () => {
  const gasShare = createGasShare({
    maxGasPercent: 200,
    settlementCost: () => ({ exact: 1_377n, upto: 1_377n }),
  })
  // 1,377 are at most twice 689, and more than twice 688.
  for (const scheme of ['exact', 'upto'] as const) {
    assert.equal(gasShare.problem({ kind: 'exact', priceUsd: '0.000689' }, scheme), null)
    const problem = gasShare.problem({ kind: 'exact', priceUsd: '0.000688' }, scheme)
    assert.equal(problem?.code, 'gas_too_expensive')
  }
})

test('an endpoint is closed once no way of paying it earns enough', () => {
  const pricing = { kind: 'metered', priceUsd: '0.02', minimumUsd: '0.001', isExactFirst: true } as const
  const share = (exact: bigint, upto: bigint) =>
    createGasShare({ maxGasPercent: 200, settlementCost: () => ({ exact, upto }) })
  // Twice 0.001 dollars under upto, twice 0.02 under exact.
  assert.equal(share(40_000n, 2_000n).problem(pricing, 'upto'), null)
  assert.equal(share(40_000n, 2_001n).problem(pricing, 'upto')?.code, 'gas_too_expensive')
  assert.equal(share(40_000n, 2_001n).problem(pricing), null)
  assert.equal(share(40_001n, 2_001n).problem(pricing)?.code, 'gas_too_expensive')
  assert.equal(share(40_001n, 2_001n).problem({ kind: 'free' }), null)
})

inWorld('while gas is too expensive for a price there is no 402, and no handler runs', async (world) => {
  const process = await world.startProcess({ heartbeatMs: 10 })
  const [payer, path] = [world.newPayer(), '/api/say?word=hi']
  const payment = await process.pay(path, payer)
  // Twice the price of 0.01 dollars, plus one micro-dollar.
  process.link.settlementCost = { exact: 20_001n, upto: 20_001n }
  await process.gate.start()
  const unpaid = await process.fetch(path)
  assert.equal(unpaid.status, 503)
  assert.ok(Number(unpaid.headers.get('retry-after')) > 0)
  assert.equal(unpaid.headers.get('payment-required'), null)
  assert.equal(await codeOf(unpaid), 'gas_too_expensive')
  assert.equal(await codeOf(await process.fetch(path, payment)), 'gas_too_expensive')
  assert.equal(process.desk.runs, 0)
  assert.equal(process.gate.settlementCost()?.exact, 20_001n)
  process.link.settlementCost = { exact: 20_000n, upto: 20_000n }
  await process.gate.start()
  assert.equal((await process.fetch(path, payment)).status, 200)
  await process.gate.close()
})
