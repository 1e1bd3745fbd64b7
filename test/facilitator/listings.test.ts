import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { exactTerms, makeExact } from '@tollbook/testing/payments/offered-payment'
import { openSettlementStage, type SettlementStage } from '@tollbook/testing/payments/settlement-stage'
import { HTTPFacilitatorClient } from '@x402/core/server'
import { withBazaar } from '@x402/extensions/bazaar'
import { startFacilitator, type TestFacilitator, toBody, toBodyV1 } from './facilitator-stage.ts'

const SELLER = `0x${'5e'.repeat(20)}` as const
const terms = exactTerms('1500', { payTo: SELLER })
let stage: SettlementStage
let facilitator: TestFacilitator
let payer: `0x${string}`
before(async () => {
  stage = await openSettlementStage()
  facilitator = await startFacilitator(stage, null)
  payer = await stage.newPayer()
})
after(async () => {
  await facilitator.close()
  await stage.close()
})

/** Settles a payment with members of its payload, and returns what the facilitator said about the extension. */
async function settle(members: object): Promise<unknown> {
  const body = toBody(await makeExact(payer, terms))
  const answer = await facilitator.post('/settle', {
    ...body,
    paymentPayload: { ...body.paymentPayload, ...members },
  })
  assert.equal(answer.body.success, true)
  const header = answer.headers.get('extension-responses')
  return header && JSON.parse(Buffer.from(header, 'base64').toString())
}

const toMembers = (url: string, input: object, further: object = {}) => ({
  resource: { url, description: 'Weather forecasts for a city.', mimeType: 'application/json' },
  extensions: { bazaar: { info: { input }, schema: {}, ...further } },
})

test('what was settled with a description is listed and found; the seller learns that, or why not', async () => {
  const http = { type: 'http', method: 'GET' }
  assert.equal(await settle({}), null)
  assert.deepEqual(await settle(toMembers('https://weather.example/forecast?city=Bonn', http)), {
    bazaar: { status: 'success' },
  })
  assert.deepEqual(
    await settle(toMembers('https://weather.example/city/Bonn', http, { routeTemplate: '/city/:name' })),
    { bazaar: { status: 'success' } },
  )
  assert.deepEqual(await settle(toMembers('weather', http)), {
    bazaar: { status: 'rejected', rejectedReason: 'invalid_resource_url' },
  })
  assert.deepEqual(await settle(toMembers('https://weather.example/', { type: 'http' })), {
    bazaar: { status: 'rejected', rejectedReason: 'invalid: extensions.bazaar.info.input' },
  })
  const { bazaar } = withBazaar(new HTTPFacilitatorClient({ url: facilitator.url })).extensions
  const { items } = await bazaar.listResources({})
  assert.deepEqual(
    items.map(({ resource }) => resource),
    ['https://weather.example/city/:name', 'https://weather.example/forecast'],
  )
  assert.equal(items[0]?.accepts[0]?.payTo, SELLER)
  const found = await bazaar.search({ query: 'forecast' })
  assert.deepEqual(found.resources.map(({ resource }) => resource)[0], 'https://weather.example/forecast')
})

test('a payee may list at most 200 endpoints', async () => {
  const row = { pay_to: SELLER, operation: 'GET', host: 'a.example', price: 1, schemes: 'exact' }
  await stage.state.db
    .insertInto('facilitator_listing')
    .values(
      Array.from({ length: 200 }, (_, at) => ({
        ...row,
        resource: `https://a.example/${at}`,
        description: '',
        last_seen: Date.now(),
      })),
    )
    .execute()
  assert.deepEqual(await settle(toMembers('https://a.example/more', { type: 'http', method: 'GET' })), {
    bazaar: { status: 'rejected', rejectedReason: 'too_many_resources' },
  })
})

test('version 1 lists the resource that its requirements describe', async () => {
  const body = toBodyV1(await makeExact(payer, { ...terms, payTo: `0x${'5f'.repeat(20)}` }))
  const paymentRequirements = {
    ...body.paymentRequirements,
    resource: 'https://old.example/quote',
    outputSchema: { input: { type: 'http', method: 'GET' } },
  }
  const { headers } = await facilitator.post('/settle', { ...body, paymentRequirements })
  const header = headers.get('extension-responses') ?? ''
  assert.deepEqual(JSON.parse(Buffer.from(header, 'base64').toString()), { bazaar: { status: 'success' } })
})
