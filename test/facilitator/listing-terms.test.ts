import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { BASE } from '@tollbook/chain/network'
import { exactTerms, makeExact } from '@tollbook/testing/payments/offered-payment'
import { openSettlementStage, type SettlementStage } from '@tollbook/testing/payments/settlement-stage'
import { publishSample } from '@tollbook/testing/report/publish-sample'
import { BUSY } from '@tollbook/testing/report/sample-figures'
import { HTTPFacilitatorClient } from '@x402/core/server'
import { declareDiscoveryExtension, withBazaar } from '@x402/extensions/bazaar'
import { startFacilitator, type TestFacilitator, toBody, toBodyV1 } from './facilitator-stage.ts'

let stage: SettlementStage
let facilitator: TestFacilitator
let payer: `0x${string}`
before(async () => {
  stage = await openSettlementStage()
  await publishSample(stage.state)
  facilitator = await startFacilitator(stage, null, {
    settings: { TOLLBOOK_REPORT_BASE_URL: 'https://reports.example' },
  })
  payer = await stage.newPayer()
})
after(async () => {
  await facilitator.close()
  await stage.close()
})

const DECLARED = declareDiscoveryExtension({
  input: { city: 'Bonn' },
  inputSchema: { properties: { city: { type: 'string' } }, required: ['city'] },
  output: { example: { celsius: 21 } },
})
const BUSY_TERMS = exactTerms('1500', {
  payTo: BUSY.address,
  maxTimeoutSeconds: 300,
  extra: { name: BASE.usdcName, version: BASE.usdcVersion, plan: 'basic' },
})
const OLD = {
  resource: 'https://old.example/quote',
  description: 'Quotes of shares.',
  mimeType: 'application/json',
  maxTimeoutSeconds: 120,
  outputSchema: {
    input: { type: 'http', method: 'GET', queryParams: { share: 'ABC' } },
    output: { price: '1.2' },
  },
}

test('the catalogue has the terms, version and declaration of each endpoint as they were settled', async () => {
  const { bazaar: declared } = DECLARED
  const bazaar = {
    ...declared,
    info: { ...declared?.info, input: { ...declared?.info.input, method: 'GET' } },
  }
  const body = toBody(await makeExact(payer, BUSY_TERMS))
  const resource = {
    url: 'https://api.weather.example/now?city=Köln',
    description: 'Weather',
    mimeType: 'text/x',
  }
  await settle({ ...body, paymentPayload: { ...body.paymentPayload, resource, extensions: { bazaar } } })
  const old = toBodyV1(await makeExact(payer, exactTerms('1400', { payTo: `0x${'5f'.repeat(20)}` })))
  const oldTerms = { ...old.paymentRequirements, ...OLD }
  await settle({ ...old, paymentRequirements: oldTerms })

  const client = withBazaar(new HTTPFacilitatorClient({ url: facilitator.url })).extensions.bazaar
  const { items } = await client.listResources()
  const [first, second] = items
  assert.deepEqual(
    [first?.resource, first?.x402Version, first?.mimeType],
    ['https://api.weather.example/now', 2, 'text/x'],
  )
  assert.deepEqual(first?.accepts, [BUSY_TERMS])
  assert.deepEqual(first?.extensions?.bazaar, bazaar)
  assert.deepEqual([second?.resource, second?.x402Version], [OLD.resource, 1])
  assert.deepEqual(second?.accepts, [oldTerms])
})

test('a merchant of the catalogue has its report at the report service', async () => {
  const client = withBazaar(new HTTPFacilitatorClient({ url: facilitator.url })).extensions.bazaar
  const [item] = (await client.search({ query: 'weather' })).resources
  assert.partialDeepStrictEqual(item?.extensions?.tollbook, {
    merchant: { report: `https://reports.example/merchants/base/${BUSY.address}` },
  })
})

test('a declaration of more than 16 kB is listed by its method alone', async (t) => {
  const terms = exactTerms('1600', { payTo: `0x${'60'.repeat(20)}` })
  const body = toBody(await makeExact(payer, terms))
  const input = { type: 'http', method: 'POST', body: { text: 'x'.repeat(17_000) } }
  const extensions = { bazaar: { info: { input }, schema: {} } }
  const resource = { url: 'https://long.example/' }
  await settle({ ...body, paymentPayload: { ...body.paymentPayload, resource, extensions } })
  const other = await startFacilitator(stage, t)
  const client = withBazaar(new HTTPFacilitatorClient({ url: other.url })).extensions.bazaar
  const { items } = await client.listResources({ payTo: terms.payTo })
  assert.deepEqual(items[0]?.extensions?.bazaar, { info: { input: { type: 'http', method: 'POST' } } })
  assert.deepEqual(items[0]?.accepts, [terms])
})

async function settle(body: object): Promise<void> {
  const answer = await facilitator.post('/settle', body)
  const header = JSON.parse(
    Buffer.from(answer.headers.get('extension-responses') ?? 'e30=', 'base64').toString(),
  )
  assert.deepEqual([answer.body.success, header], [true, { bazaar: { status: 'success' } }])
}
