import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { isListable } from '@tollbook/facilitator/listings'
import { exactTerms, makeExact } from '@tollbook/testing/payments/offered-payment'
import { openSettlementStage, type SettlementStage } from '@tollbook/testing/payments/settlement-stage'
import { HTTPFacilitatorClient } from '@x402/core/server'
import { withBazaar } from '@x402/extensions/bazaar'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { startFacilitator, type TestFacilitator, toBody } from './facilitator-stage.ts'

const SELLER = `0x${'5e'.repeat(20)}` as const
let stage: SettlementStage
before(async () => {
  stage = await openSettlementStage()
})
after(() => stage.close())

type Sale = {
  readonly key: `0x${string}`
  readonly url: string
  readonly payTo: `0x${string}`
  readonly amount: string
}

/** Settles a payment with its description, and returns what became of its listing. */
async function sell({ post }: TestFacilitator, { key, url, payTo, amount }: Sale): Promise<unknown> {
  const body = toBody(await makeExact(key, exactTerms(amount, { payTo })))
  const resource = { url, description: 'Weather forecast.', mimeType: 'application/json' }
  const bazaar = { info: { input: { type: 'http', method: 'GET' } }, schema: {} }
  const answer = await post('/settle', {
    ...body,
    paymentPayload: { ...body.paymentPayload, resource, extensions: { bazaar } },
  })
  assert.equal(answer.body.success, true)
  const header = answer.headers.get('extension-responses') ?? ''
  return JSON.parse(Buffer.from(header, 'base64').toString())
}

const bazaarOf = ({ url }: TestFacilitator) =>
  withBazaar(new HTTPFacilitatorClient({ url })).extensions.bazaar

test('a listing is ranked by what other payers than its largest paid for its host', async (t) => {
  const facilitator = await startFacilitator(stage, t)
  const [one, other, flood] = await Promise.all([stage.newPayer(), stage.newPayer(), stage.newPayer()])
  const honest = { url: 'https://honest.example/weather/forecast', payTo: SELLER, amount: '2000' }
  await sell(facilitator, { key: one, ...honest })
  await sell(facilitator, { key: other, ...honest })
  // One payer and a lower price, each to a wallet of its own; the last under the name of the honest seller's wallet.
  for (let at = 0; at < 5; at += 1)
    await sell(facilitator, {
      key: flood,
      url: `https://flood.example/weather/forecast/${at}`,
      payTo: privateKeyToAddress(generatePrivateKey()),
      amount: at === 4 ? '9000' : '1000',
    })
  await sell(facilitator, { ...honest, key: flood, url: 'https://thief.example/weather', amount: '3000' })
  const expected = [
    honest.url,
    // None has a second payer: the sum decides, then the price, then the URL.
    'https://flood.example/weather/forecast/4',
    'https://thief.example/weather',
    ...[0, 1, 2, 3].map((at) => `https://flood.example/weather/forecast/${at}`),
  ]
  const { items } = await bazaarOf(facilitator).listResources({})
  assert.deepEqual(
    items.map(({ resource }) => resource),
    expected,
  )
  const { resources } = await bazaarOf(facilitator).search({ query: 'weather forecast' })
  assert.equal(resources[0]?.resource, honest.url)
})

test('what payers paid is forgotten a week after their last payment', async (t) => {
  const paid = { pay_to: SELLER, amount: 5_000_000 }
  const now = Date.now()
  const week = 7 * 24 * 60 * 60_000
  await stage.state.db
    .insertInto('listing_payer')
    .values(
      ['a', 'b'].flatMap((payer) => [
        { ...paid, host: 'old.example', payer, paid_at: now - week - 60_000 },
        { ...paid, host: 'new.example', payer, paid_at: now - week + 60_000 },
      ]),
    )
    .execute()
  const facilitator = await startFacilitator(stage, t)
  const key = await stage.newPayer()
  for (const host of ['old.example', 'new.example'])
    await sell(facilitator, { key, url: `https://${host}/price`, payTo: SELLER, amount: '1000' })
  const { items } = await bazaarOf(facilitator).listResources({})
  const hosts = items.map(({ resource }) => new URL(resource).host)
  assert.equal(hosts[0], 'new.example')
  assert.ok(hosts.indexOf('honest.example') < hosts.indexOf('old.example'), hosts.join())
})

test('hosts of private networks are not listed; on the local chain, those of this machine are', async (t) => {
  const facilitator = await startFacilitator(stage, t)
  const key = await stage.newPayer()
  const listedAs = (url: string) => sell(facilitator, { key, url, payTo: SELLER, amount: '1000' })
  const refused = { bazaar: { status: 'rejected', rejectedReason: 'host_not_public' } }
  for (const host of ['169.254.169.254', '0xa.1', 'printer.local', 'db.internal', '[fd00::1]', 'intranet'])
    assert.deepEqual(await listedAs(`http://${host}/price`), refused, host)
  for (const host of ['127.0.0.1:4021', 'localhost:4021', '[::1]:4021'])
    assert.deepEqual(await listedAs(`http://${host}/price`), { bazaar: { status: 'success' } }, host)
})

test('on Base, this machine is no host of a listing, unless the operator allows private networks', () => {
  for (const url of ['http://127.0.0.1:4021/', 'http://localhost/', 'http://[::1]/', 'http://10.0.0.1/'])
    assert.deepEqual([isListable(url, 'none'), isListable(url, 'any')], [false, true], url)
  assert.equal(isListable('http://localhost.example/', 'none'), true)
})
