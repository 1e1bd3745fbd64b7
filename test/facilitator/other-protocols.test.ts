import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { serve } from '@hono/node-server'
import { BASE } from '@tollbook/chain/network'
import type { PaymentRequirements } from '@tollbook/gate/contract/terms'
import { createChainReader } from '@tollbook/gate/reading/chain-reader'
import { Buyer } from '@tollbook/pay/buyer'
import { chargeOf, readSettlement } from '@tollbook/pay/offer'
import { payAndCall } from '@tollbook/pay/pay'
import { openSpendingLog } from '@tollbook/pay/spending-log'
import { exactTerms } from '@tollbook/testing/payments/offered-payment'
import { openSettlementStage, type SettlementStage } from '@tollbook/testing/payments/settlement-stage'
import { temporaryFolder } from '@tollbook/testing/temporary-folder'
import { Hono } from 'hono'
import { Challenge } from 'mppx'
import { assets, evm } from 'mppx/evm/server'
import { Mppx } from 'mppx/server/core'
import { privateKeyToAccount } from 'viem/accounts'
import { exact } from 'x402/schemes'
import { useFacilitator } from 'x402/verify'
import { startFacilitator, type TestFacilitator } from './facilitator-stage.ts'

const SELLER = '0x5E00000000000000000000000000000000005e5e'
const PRICE = 1700n
const HELD = 10_000n

let stage: SettlementStage
let facilitator: TestFacilitator
/** Sellers and logs, closed in reverse order. */
const opened: { close(): unknown }[] = []
before(async () => {
  stage = await openSettlementStage()
  facilitator = await startFacilitator(stage, null)
})
after(async () => {
  for (const { close } of opened.reverse()) await close()
  await facilitator.close()
  await stage.close()
})

async function listen(app: Hono): Promise<string> {
  const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0, overrideGlobalObjects: false })
  opened.push({ close: () => server.close() })
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

/** A seller with the package of version 1: terms in the body, payment in `X-PAYMENT`. */
function startVersionOne(): Promise<string> {
  const { verify, settle } = useFacilitator({ url: facilitator.url as `http://${string}` })
  const { amount, ...shared } = exactTerms(`${PRICE}`, { payTo: SELLER })
  const requirements = {
    ...shared,
    scheme: 'exact',
    network: 'base',
    maxAmountRequired: amount,
    resource: 'https://seller.example/v1',
    description: 'Version 1',
    mimeType: 'application/json',
  } as const
  const app = new Hono()
  app.get('/', async (context) => {
    const header = context.req.header('x-payment')
    if (!header) return context.json({ x402Version: 1, accepts: [requirements], error: 'pay' }, 402)
    const payment = exact.evm.decodePayment(header)
    const { isValid } = await verify(payment, requirements)
    if (!isValid) return context.json({ x402Version: 1, accepts: [requirements], error: 'invalid' }, 402)
    const settled = await settle(payment, requirements)
    context.header('x-payment-response', Buffer.from(JSON.stringify(settled)).toString('base64'))
    return context.json({ sold: settled.success })
  })
  return listen(app)
}

/** The server of mppx, whose 402 offers MPP alone. */
function startMpp(): Promise<string> {
  const x402 = { facilitator: facilitator.url }
  const charge = evm.charge({ currency: assets.base.USDC, recipient: SELLER, x402 })
  const mppx = Mppx.create({
    methods: [charge],
    secretKey: 'a secret of the seller, 32 bytes long',
    realm: 'seller',
  })
  const app = new Hono()
  app.get('/', async ({ req }) => {
    const answer = await mppx.charge({ amount: '0.0017' })(req.raw)
    if (answer.status !== 402) return answer.withReceipt(Response.json({ sold: true }))
    const headers = new Headers(answer.challenge.headers)
    headers.delete('payment-required')
    return new Response(answer.challenge.body, { status: 402, headers })
  })
  return listen(app)
}

async function openBuyer(budget: bigint) {
  const { rpcUrl } = stage.chain
  const key = await stage.newPayer(HELD)
  const log = openSpendingLog(join(temporaryFolder('spending'), 'spending.sqlite'))
  opened.push(log)
  const chain = createChainReader({ rpcUrl, network: BASE, finalTag: 'latest' })
  const buyer = new Buyer({ log, chain, key, rpcUrl, budget, max: PRICE })
  const spent = async () => HELD - (await stage.balanceOf(privateKeyToAccount(key).address))
  return { buyer, spent, key }
}

const toRequest = (url: string) => ({ url, method: 'GET', headers: new Headers() })

async function buyFrom(buyer: Buyer, url: string) {
  const purchase = await buyer.buy(toRequest(url), { signal: new AbortController().signal })
  if (purchase.kind === 'refused') return purchase.problem
  const answer = await purchase.response.json()
  return { status: purchase.response.status, answer, logged: await purchase.close(true) }
}

for (const [name, start] of [
  ['x402 version 1', startVersionOne],
  ['MPP', startMpp],
] as const)
  test(`a seller that offers ${name} alone is paid within the budget, and by tollbook call`, async () => {
    const url = await start()
    const { buyer, spent, key } = await openBuyer(2n * PRICE)
    const bought = await Promise.all(Array.from({ length: 5 }, () => buyFrom(buyer, url)))
    const sold = bought.filter((each) => 'answer' in each)
    assert.equal(
      sold.length,
      2,
      JSON.stringify(bought, (_, each) => (typeof each === 'bigint' ? `${each}` : each)),
    )
    for (const { status, answer, logged } of sold) {
      assert.deepEqual([status, answer], [200, { sold: true }])
      assert.deepEqual([logged?.state, logged?.counted], ['settled', PRICE])
      assert.match(logged?.transaction ?? '', /^0x[0-9a-f]{64}$/)
    }
    for (const refused of bought) if ('code' in refused) assert.match(refused.detail, /budget of \$0\.0034/)
    assert.equal(await spent(), 2n * PRICE)
    assert.deepEqual(buyer.totals(), { spent: 2n * PRICE, open: 0n })

    const call = (max: bigint) =>
      payAndCall({
        request: toRequest(url),
        key,
        rpcUrl: stage.chain.rpcUrl,
        max,
        confirm: async ({ scheme, amount, payTo }) =>
          scheme === 'exact' && amount === PRICE && payTo.toLowerCase() === SELLER.toLowerCase(),
        onRetry: () => {},
        signal: new AbortController().signal,
      })
    assert.deepEqual(await call(PRICE - 1n), { kind: 'no-offer', reason: '$0.0017 is above --max' })
    const outcome = await call(PRICE)
    assert.ok(outcome.kind === 'answered', outcome.kind)
    const settlement = readSettlement(outcome.response)
    assert.ok(settlement?.success)
    assert.equal(chargeOf(outcome.offer, settlement), PRICE)
    assert.equal(await spent(), 3n * PRICE)
  })

const STRANGER = `0x${'11'.repeat(20)}` as const
/** The 402 of the same terms in other protocols, and the header of the payment. */
const PROTOCOLS = {
  'x402 version 1': {
    paidIn: 'x-payment',
    toChallenge({ amount, network, ...terms }: PaymentRequirements) {
      const known = {
        ...terms,
        maxAmountRequired: amount,
        network: network === BASE.id ? 'base' : network,
      }
      return { headers: {}, body: JSON.stringify({ x402Version: 1, accepts: [known] }) }
    },
  },
  MPP: {
    paidIn: 'authorization',
    toChallenge({ amount, network, asset, payTo, maxTimeoutSeconds }: PaymentRequirements) {
      const methodDetails = { chainId: Number(network.split(':')[1]), credentialTypes: ['authorization'] }
      const challenge = Challenge.from({
        id: `${Math.random()}`,
        realm: 'seller',
        method: 'evm',
        intent: 'charge',
        expires: new Date(Date.now() + maxTimeoutSeconds * 1000).toISOString(),
        request: { amount, currency: asset, recipient: payTo, methodDetails },
      })
      return { headers: { 'www-authenticate': Challenge.serialize(challenge) }, body: '' }
    },
  },
} as const

for (const [name, { paidIn, toChallenge }] of Object.entries(PROTOCOLS))
  test(`by ${name}, a lost payment is sent again unchanged, and what the limits exclude is never paid`, async () => {
    let terms = exactTerms(`${PRICE}`)
    const seen: string[] = []
    const arrived = Promise.withResolvers<void>()
    const app = new Hono()
    app.get('/', async (context) => {
      const payment = context.req.header(paidIn)
      const { headers, body } = toChallenge(terms)
      if (payment === undefined) return new Response(body, { status: 402, headers })
      seen.push(payment)
      // The first one is never answered.
      if (seen.length > 1) return context.json({})
      arrived.resolve()
      return await new Promise<never>(() => {})
    })
    const url = await listen(app)
    const { buyer } = await openBuyer(3n * PRICE)
    const leaving = new AbortController()
    const lost = assert.rejects(buyer.buy(toRequest(url), { signal: leaving.signal }))
    await arrived.promise
    leaving.abort(new Error('left'))
    await lost
    assert.equal(((await buyFrom(buyer, url)) as { status: number }).status, 200)
    assert.deepEqual([seen.length, new Set(seen).size, buyer.totals().open], [2, 1, PRICE])
    for (const excluded of [
      exactTerms(`${PRICE + 1n}`),
      exactTerms(`${PRICE}`, { network: 'eip155:1' }),
      exactTerms(`${PRICE}`, { asset: STRANGER }),
      exactTerms(`${PRICE}`, { maxTimeoutSeconds: 200_000 }),
    ]) {
      terms = excluded
      const refused = await buyFrom(buyer, url)
      assert.match('detail' in refused ? refused.detail : '', /^Not paid: /)
    }
    assert.deepEqual([seen.length, buyer.totals().open], [2, PRICE])
  })
