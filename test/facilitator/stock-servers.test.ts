import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, type TestContext, test } from 'node:test'
import { serve } from '@hono/node-server'
import { HTTPFacilitatorClient, type RoutesConfig, x402ResourceServer } from '@x402/core/server'
import { toClientEvmSigner } from '@x402/evm'
import { ExactEvmScheme as ExactClient } from '@x402/evm/exact/client'
import { ExactEvmScheme } from '@x402/evm/exact/server'
import { UptoEvmScheme as UptoClient } from '@x402/evm/upto/client'
import { UptoEvmScheme } from '@x402/evm/upto/server'
import { decodePaymentResponseHeader, wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { setSettlementOverrides as overrideInHono, paymentMiddleware as payInHono } from '@x402/hono'
import { Hono } from 'hono'
import { createPublicClient, createWalletClient, type Hex, maxUint256 } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { exact } from 'x402/schemes'
import { useFacilitator } from 'x402/verify'
import { decodeXPaymentResponse, wrapFetchWithPayment as wrapFetchWithPaymentV1 } from 'x402-fetch'
import { devUsdcAbi } from '../../src/devchain/contracts/abis.ts'
import { BASE } from '../../src/money/base.ts'
import { base } from '../chain/base-chain.ts'
import { patientHttp } from '../chain/patient-http.ts'
import { openSettlementStage, type SettlementStage, toSender } from '../payments/settlement-stage.ts'
import { startFacilitator, type TestFacilitator } from './facilitator-stage.ts'

const SELLER = '0x5E00000000000000000000000000000000005e5e'
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

const price = { asset: BASE.usdc, extra: { name: BASE.usdcName, version: BASE.usdcVersion } }
const shared = { network: BASE.network, payTo: SELLER, maxTimeoutSeconds: 60 }
const ROUTES = {
  'GET /exact': { accepts: { ...shared, scheme: 'exact', price: { ...price, amount: '1300' } } },
  'GET /upto': { accepts: { ...shared, scheme: 'upto', price: { ...price, amount: '5000' } } },
} satisfies RoutesConfig

/** A stock server's facilitator and schemes. */
function resourceServer(): x402ResourceServer {
  return new x402ResourceServer(new HTTPFacilitatorClient({ url: facilitator.url }))
    .register(BASE.network, new ExactEvmScheme())
    .register(BASE.network, new UptoEvmScheme())
}

async function startHono(t: TestContext): Promise<string> {
  const app = new Hono()
  app.use(payInHono(ROUTES, resourceServer()))
  app.get('/exact', (context) => context.json({ sold: true }))
  app.get('/upto', (context) => {
    overrideInHono(context, { amount: '2100' })
    return context.json({ sold: true })
  })
  const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0, overrideGlobalObjects: false })
  t.after(() => server.close())
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function startExpress(t: TestContext): Promise<string> {
  const program = join(import.meta.dirname, 'express-server.mjs')
  const server = fork(program, [facilitator.url, JSON.stringify(ROUTES)], { execArgv: [] })
  t.after(() => server.kill())
  const [port] = await once(server, 'message')
  return `http://127.0.0.1:${port}`
}

async function approvePermit2(key: Hex): Promise<void> {
  await stage.chain.fundGas(privateKeyToAccount(key).address)
  const sender = toSender(key, stage.chain.rpcUrl)
  const hash = await sender.writeContract({
    address: BASE.usdc,
    abi: devUsdcAbi,
    functionName: 'approve',
    args: [BASE.permit2, maxUint256],
  })
  await sender.waitForTransactionReceipt({ hash })
}

function stockFetch(key: Hex): typeof fetch {
  const reader = createPublicClient({ chain: base, transport: patientHttp(stage.chain.rpcUrl) })
  const signer = toClientEvmSigner(privateKeyToAccount(key), reader)
  const client = new x402Client()
    .register(BASE.network, new ExactClient(signer))
    .register(BASE.network, new UptoClient(signer, { rpcUrl: stage.chain.rpcUrl }))
  return wrapFetchWithPayment(fetch, client) as typeof fetch
}

for (const [name, start] of [
  ['@x402/hono', startHono],
  ['@x402/express', startExpress],
] as const)
  test(`${name} sells through the facilitator to @x402/fetch, to the micro-dollar`, async (t) => {
    const url = await start(t)
    const key = await stage.newPayer(10_000n)
    await approvePermit2(key)
    const earned = await stage.balanceOf(SELLER)
    for (const [path, amount] of [
      ['/exact', '1300'],
      ['/upto', '2100'],
    ] as const) {
      const response = await stockFetch(key)(`${url}${path}`)
      assert.deepEqual([response.status, await response.json()], [200, { sold: true }])
      const receipt = decodePaymentResponseHeader(response.headers.get('payment-response') ?? '')
      assert.equal(receipt.success, true)
      assert.equal(receipt.amount, amount)
    }
    assert.equal(await stage.balanceOf(SELLER), earned + 3400n)
    assert.equal(await stage.balanceOf(privateKeyToAccount(key).address), 6_600n)
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
    payTo: SELLER,
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
    transport: patientHttp(stage.chain.rpcUrl),
  })
  const earned = await stage.balanceOf(SELLER)
  const pay = wrapFetchWithPaymentV1(fetch, wallet as never)
  const response = await pay(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  assert.deepEqual([response.status, await response.json()], [200, { sold: true }])
  assert.equal(decodeXPaymentResponse(response.headers.get('x-payment-response') ?? '').success, true)
  assert.equal(await stage.balanceOf(SELLER), earned + 1700n)
})
