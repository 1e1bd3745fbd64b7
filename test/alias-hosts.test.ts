import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { withInstalled } from '@tollbook/cli/commands/apps'
import type { Service } from '@tollbook/endpoints/service'
import { ConfigError } from '@tollbook/flow/config-error'
import type { PaymentRequired } from '@tollbook/gate/challenge/payment-required'
import { findSources } from '@tollbook/report/open/sources'
import { loadConfig } from '@tollbook/runtime/config'
import { openAliasHosts } from '@tollbook/runtime/places/alias-hosts'
import { outsideOptions } from '@tollbook/runtime/places/outside'
import { type Customer, openShop, type Shop } from '@tollbook/testing/paying/shop'
import { signPayment } from '@tollbook/testing/payments/sign-payment'
import { servePages } from '@tollbook/testing/servers/serve-pages'
import { utilityPorts } from '@tollbook/testing/utility/utility-ports'
import { calc } from '@tollbook/utility/endpoints/api/calc/endpoint'
import { dns } from '@tollbook/utility/endpoints/api/dns/endpoint'
import { scrape } from '@tollbook/utility/endpoints/api/scrape/endpoint'
import { list } from '@tollbook/utility/endpoints/api/store/endpoint'
import { decodePaymentRequiredHeader } from '@x402/core/http'
import { extractReceiptFromResponse, extractReceiptPayload } from '@x402/extensions/offer-receipt'
import { OPERATOR_HEADERS, OPERATOR_SETTING } from './paying/operator-key.ts'

const ALIAS = 'https://data.example'
const SETTINGS = {
  TOLLBOOK_UTILITY_ALIASES: `${ALIAS} /api/scrape, https://two.example /api/calc /pay/agent-7=/api/scrape`,
}
const PAGE =
  '<!doctype html><html lang="en"><title>Tides</title><main><h1>Tides</h1><p>The moon pulls.</p></main></html>'

const service: Service = {
  name: 'utility',
  title: 'Test service',
  description: 'Sells what this test asks for.',
  baseUrl: 'https://utility.example',
  endpoints: [scrape, calc, dns, list],
  ports: {},
}

let site: Awaited<ReturnType<typeof servePages>>
let shop: Shop
let payer: Customer
before(async () => {
  site = await servePages({ '/tides': PAGE })
  shop = await openShop({
    endpoints: service.endpoints,
    portsOf: (state) => utilityPorts(state),
    settings: { ...SETTINGS, ...OPERATOR_SETTING },
  })
  payer = await shop.newPayer()
})
after(async () => {
  await shop?.close()
  site?.close()
})

/** Asks the service's port for a path under a host's name, as a proxy does that passes `Host` on. */
async function askHost(host: string | null, path: string, headers: Record<string, string> = {}) {
  const url = `${shop.seller.url}${path}`
  const sent = request(url, { headers: { ...headers, ...(host !== null && { host }) } }).end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  const body = await text(response)
  return { status: response.statusCode, headers: response.headers, body }
}
const askJson = async (host: string | null, path: string) => JSON.parse((await askHost(host, path)).body)

test('an alias host lists its own endpoints under its own address, as the service describes them', async () => {
  const own = (await askJson(null, '/listing.json')) as { resource: string }[]
  const described = own.find(({ resource }) => resource.endsWith('/api/scrape'))
  assert.ok(described)
  const listed = (await askJson('data.example', '/listing.json')) as { resource: string; price_usd: number }[]
  const paid = listed.filter(({ price_usd }) => price_usd > 0)
  assert.deepEqual(paid, [{ ...described, resource: `${ALIAS}/api/scrape` }])
  const openApi = await askJson('data.example', '/openapi.json')
  assert.deepEqual(openApi.servers, [{ url: ALIAS }])
  assert.deepEqual(Object.keys(openApi.paths), ['/api/scrape', '/v1/receipts/{id}'])
  const wellKnown = await askJson('data.example', '/.well-known/x402')
  assert.deepEqual(wellKnown.resources, [`${ALIAS}/api/scrape`])
  const { items } = await askJson('data.example', '/discovery/resources')
  const resources = items.map((item: { resource: string }) => item.resource)
  assert.deepEqual(resources, [`${ALIAS}/api/scrape`, `${ALIAS}/v1/receipts/:id`])
  for (const path of ['/', '/llms.txt']) {
    const { body } = await askHost('data.example', path)
    assert.ok(body.includes('/api/scrape'), path)
    assert.ok(!body.includes('/api/calc'), path)
  }
})

test('a renamed path is listed under its new name, with the same description and price', async () => {
  const { resources } = await askJson('two.example', '/.well-known/x402')
  assert.deepEqual(resources, ['https://two.example/api/calc', 'https://two.example/pay/agent-7'])
  const { paths } = await askJson('two.example', '/openapi.json')
  const { description } = (await askJson(null, '/openapi.json')).paths['/api/scrape'].get
  assert.equal(paths['/pay/agent-7'].get.description, description)
  const header = String((await askHost('two.example', '/pay/agent-7')).headers['payment-required'])
  const challenge = decodePaymentRequiredHeader(header) as unknown as PaymentRequired
  assert.equal(challenge.resource.url, 'https://two.example/pay/agent-7')
  assert.deepEqual(challenge.accepts, (await shop.challenge('/api/scrape')).accepts)
})

test('each alias host sells only its paths, and any other host name is the service itself', async () => {
  const statusOf = async (host: string | null, path: string) => (await askHost(host, path)).status
  assert.equal(await statusOf('data.example', '/api/scrape'), 402)
  assert.equal(await statusOf('data.example', '/api/calc'), 404)
  assert.equal(await statusOf('two.example', '/api/calc'), 402)
  assert.equal(await statusOf('two.example', '/pay/agent-7'), 402)
  assert.equal(await statusOf('two.example', '/api/scrape'), 404)
  assert.equal(await statusOf(null, '/pay/agent-7'), 404)
  assert.equal(await statusOf('elsewhere.example', '/api/dns'), 402)
  assert.equal(await statusOf(null, '/api/dns'), 402)
  assert.equal(await statusOf('data.example', '/readyz'), 200)
})

test('a call under an alias host is challenged, paid and repeated like one of the service', async () => {
  const path = `/api/scrape?url=${encodeURIComponent(`${site.url}/tides`)}`
  const unpaid = await askHost('data.example', path)
  const header = String(unpaid.headers['payment-required'])
  const challenge = decodePaymentRequiredHeader(header) as unknown as PaymentRequired
  assert.equal(challenge.resource.url, `${ALIAS}/api/scrape`)
  const direct = (await shop.challenge(path)).accepts
  assert.deepEqual(challenge.accepts, direct)
  const before = await shop.balanceOf(payer.address)
  const payment = { 'payment-signature': await signPayment(payer, challenge) }
  const answer = await askHost('data.example', path, payment)
  assert.equal(answer.status, 200, answer.body)
  assert.match(answer.body, /The moon pulls/)
  // The same payment under the service's own name is the same call: answered again, and not charged again.
  const again = await askHost(null, path, payment)
  assert.deepEqual([again.status, again.body], [200, answer.body])
  const settled = String(answer.headers['payment-response'])
  assert.equal(again.headers['payment-response'], settled)
  const receipt = extractReceiptFromResponse(new Response(null, { headers: { 'payment-response': settled } }))
  assert.equal(receipt && extractReceiptPayload(receipt).resourceUrl, `${ALIAS}/api/scrape`)
  assert.equal(before - (await shop.balanceOf(payer.address)), 1000n)
  // Calls of every host are counted together.
  const metrics = (await askHost(null, '/metrics', OPERATOR_HEADERS)).body
  assert.match(metrics, /tollbook_http_requests_total\{endpoint="scrape",status_class="2xx"\} 2\n/)
})

test('the listings of alias hosts are read with those of the services, and no call may call them', async () => {
  const config = await withInstalled(loadConfig(SETTINGS))
  assert.deepEqual((await findSources(config)).slice(3), [ALIAS, 'https://two.example'])
  const refused = outsideOptions(config, 'https://utility.example').refusedHosts
  assert.ok(refused?.has('data.example') && refused.has('two.example'))
})

test('a wrong alias stops the start with an error that identifies it', () => {
  const issuesOf = (value: string) => {
    try {
      openAliasHosts(loadConfig({ TOLLBOOK_UTILITY_ALIASES: value }), service)
      return []
    } catch (error) {
      assert.ok(error instanceof ConfigError)
      return error.issues
    }
  }
  assert.deepEqual(issuesOf('https://a.example /api/scrape /api/store'), [])
  const wrong: [string, RegExp][] = [
    [
      'https://a.example /api/nothing /api/scrape /no',
      /no endpoint of utility has the path \/api\/nothing, \/no$/,
    ],
    [
      'https://a.example /api/calc, https://a.example:443 /api/scrape',
      /a\.example is already the service's host/,
    ],
    ['https://utility.example /api/scrape', /utility\.example is already the service's host/],
    ['https://a.example', /has no path/],
    ['https://a.example api/scrape', /must be paths that begin with \//],
    ['https://a.example/path /api/scrape', /without a path/],
    ['a.example /api/scrape', /TOLLBOOK_UTILITY_ALIASES/],
  ]
  for (const [value, issue] of wrong) assert.match(issuesOf(value).join('; '), issue, value)
})
