import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { serve } from '@hono/node-server'
import { BASE } from '@tollbook/chain/network'
import { base } from '@tollbook/testing/chain/base-chain'
import { openSettlementStage, type SettlementStage } from '@tollbook/testing/payments/settlement-stage'
import { toClientEvmSigner } from '@x402/evm'
import { ExactEvmScheme as ExactClient } from '@x402/evm/exact/client'
import { UptoEvmScheme as UptoClient } from '@x402/evm/upto/client'
import { decodePaymentResponseHeader, wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { Hono } from 'hono'
import { createPublicClient, createWalletClient, type Hex, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { exact } from 'x402/schemes'
import { useFacilitator } from 'x402/verify'
import { decodeXPaymentResponse, wrapFetchWithPayment as wrapFetchWithPaymentV1 } from 'x402-fetch'
import { startFacilitator, type TestFacilitator } from './facilitator-stage.ts'
import { STOCK_SELLER, STOCK_SELLERS } from './stock-sellers.ts'

let stage: SettlementStage
let facilitator: TestFacilitator
before(async () => {
  stage = await openSettlementStage()
  facilitator = await startFacilitator(stage, null)
})
after(async () => {
  await facilitator.close()
  await stage.close()
})

function stockFetch(key: Hex): typeof fetch {
  const reader = createPublicClient({ chain: base, transport: http(stage.chain.rpcUrl) })
  const signer = toClientEvmSigner(privateKeyToAccount(key), reader)
  const client = new x402Client()
    .register(BASE.id, new ExactClient(signer))
    .register(BASE.id, new UptoClient(signer, { rpcUrl: stage.chain.rpcUrl }))
  return wrapFetchWithPayment(fetch, client) as typeof fetch
}

for (const [name, start] of STOCK_SELLERS)
  test(`${name} sells through the facilitator to @x402/fetch, to the micro-dollar`, async (t) => {
    const url = await start(t, facilitator.url)
    const key = await stage.newPayer(10_000n)
    await stage.approvePermit2(key)
    const earned = await stage.balanceOf(STOCK_SELLER)
    for (const [path, amount] of [
      ['/exact', '1300'],
      ['/permit2', '1400'],
      ['/upto', '2100'],
      ['/free', '0'],
    ] as const) {
      const response = await stockFetch(key)(`${url}${path}`)
      assert.deepEqual([response.status, await response.json()], [200, { sold: true }])
      const receipt = decodePaymentResponseHeader(response.headers.get('payment-response') ?? '')
      assert.equal(receipt.success, true)
      assert.equal(receipt.amount, amount)
    }
    assert.equal(await stage.balanceOf(STOCK_SELLER), earned + 4800n)
    assert.equal(await stage.balanceOf(privateKeyToAccount(key).address), 5_200n)
  })

test('a seller with the facilitator client of version 1 sells to x402-fetch 1.2.0', async (t) => {
  const { verify, settle } = useFacilitator({ url: facilitator.url as `http://${string}` })
  const requirements = {
    scheme: 'exact',
    network: 'base',
    maxAmountRequired: '1700',
    resource: 'https://seller.example/v1',
    description: '',
    mimeType: 'application/json',
    payTo: STOCK_SELLER,
    maxTimeoutSeconds: 60,
    asset: BASE.usdc,
    extra: { name: BASE.usdcName, version: BASE.usdcVersion },
  } as const
  const app = new Hono()
  app.get('/', async (context) => {
    const header = context.req.header('x-payment')
    if (!header) return context.json({ x402Version: 1, accepts: [requirements], error: 'pay' }, 402)
    const payment = exact.evm.decodePayment(header)
    const verified = await verify(payment, requirements)
    if (!verified.isValid) return context.json({ reason: verified.invalidReason }, 500)
    const settled = await settle(payment, requirements)
    context.header('x-payment-response', Buffer.from(JSON.stringify(settled)).toString('base64'))
    return context.json({ sold: settled.success })
  })
  const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0, overrideGlobalObjects: false })
  t.after(() => server.close())
  await once(server, 'listening')
  const key = await stage.newPayer(5_000n)
  const wallet = createWalletClient({
    account: privateKeyToAccount(key),
    chain: base,
    transport: http(stage.chain.rpcUrl),
  })
  const earned = await stage.balanceOf(STOCK_SELLER)
  const pay = wrapFetchWithPaymentV1(fetch, wallet as never)
  const response = await pay(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  assert.deepEqual([response.status, await response.json()], [200, { sold: true }])
  assert.equal(decodeXPaymentResponse(response.headers.get('x-payment-response') ?? '').success, true)
  assert.equal(await stage.balanceOf(STOCK_SELLER), earned + 1700n)
})
