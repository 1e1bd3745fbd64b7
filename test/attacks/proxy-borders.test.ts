import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { text as readText } from 'node:stream/consumers'
import { test } from 'node:test'
import { openLoneProxy, openLoneSeller } from '../paying/lone-proxy.ts'

/** Without the headers that fetch adds. */
async function ask(url: string, headers: Record<string, string> = {}) {
  const call = httpRequest(url, { headers }).end()
  const [response] = (await once(call, 'response')) as [IncomingMessage]
  return { status: response.statusCode, headers: response.headers, text: await readText(response) }
}

test('a seller that answers a payment with a redirect is paid once, wherever it leads', async (t) => {
  let location = ''
  let hops = 0
  const seller = await openLoneSeller(t, (response) => {
    hops += 1
    response.writeHead(302, { location: location.replace('#', `${hops}`) }).end()
  })
  const proxy = await openLoneProxy(t, seller.url)
  for (const to of ['/loop?n=#', `${proxy.url}/loop?n=#`, `${seller.url}/loop?n=#`]) {
    location = to
    const { length } = seller.payments
    const response = await fetch(`${proxy.url}/start?${encodeURIComponent(to)}`)
    assert.equal(seller.payments.length, length + 1, to)
    assert.equal(response.status, 502)
    const problem = (await response.json()) as Record<string, unknown>
    assert.equal(problem.code, 'upstream_failed')
    // The payment may have bought what is there.
    assert.equal(problem.location, new URL(to.replace('#', `${hops}`), seller.url).href)
    assert.match(String(problem.detail), /answered the payment with a redirect/)
  }
  // The same request is sent with the same payment.
  await (await fetch(`${proxy.url}/start?${encodeURIComponent(location)}`)).arrayBuffer()
  assert.equal(new Set(seller.payments).size, 3)
})

const CREDENTIALS = {
  authorization: 'Bearer secret',
  'api-key': 'secret',
  apikey: 'secret',
  'x-api-key': 'secret',
  'x-goog-api-key': 'secret',
  'xi-api-key': 'secret',
  'x-amz-security-token': 'secret',
  'x-amz-date': 'secret',
  'x-goog-iam-authorization-token': 'secret',
  'x-ms-authorization-auxiliary': 'secret',
  'ocp-apim-subscription-key': 'secret',
  'x-functions-key': 'secret',
  'x-rapidapi-key': 'secret',
  'cf-aig-authorization': 'secret',
  'cf-access-client-secret': 'secret',
  'x-access-token': 'secret',
  'x-portkey-virtual-key': 'secret',
  'helicone-auth': 'secret',
  'private-token': 'secret',
  'x-vault-token': 'secret',
}

test("credentials in the headers of other providers' packages stay here, unless keys are sent", async (t) => {
  const seller = await openLoneSeller(t, (response) => response.end('sold'))
  const kept = {
    'idempotency-key': 'order-0123456789abcdef',
    'anthropic-version': '2023-06-01',
    'x-auth-token': 'a session of the service',
    'sign-in-with-x': 'a proof',
    accept: 'text/plain',
  }
  for (const sendsKeys of [false, true]) {
    const proxy = await openLoneProxy(t, seller.url, { sendsKeys })
    const sent = { ...CREDENTIALS, ...kept, cookie: 'secret' }
    assert.equal((await ask(`${proxy.url}/a`, sent)).text, 'sold')
    const head = seller.heads.at(-1) ?? {}
    for (const [name, value] of Object.entries(kept)) assert.equal(head[name], value, name)
    for (const name of Object.keys(CREDENTIALS))
      assert.equal(head[name], sendsKeys ? sent[name as keyof typeof sent] : undefined, name)
    assert.equal(head.cookie, undefined)
  }
})

test('a request with a Referer is refused: a page of an older browser sends nothing else', async (t) => {
  const seller = await openLoneSeller(t, (response) => response.end('sold'))
  const proxy = await openLoneProxy(t, seller.url)
  for (const referer of ['https://evil.example/', `${proxy.url}/page`, ''])
    assert.equal((await ask(`${proxy.url}/a`, { referer })).status, 400, referer)
  assert.deepEqual(seller.payments, [])
  assert.equal((await ask(`${proxy.url}/a`)).status, 200)
})

test('the page of what was spent, its style and its icon come from the proxy, and link to nothing else', async (t) => {
  const seller = await openLoneSeller(t, (response) => response.end('sold'))
  const proxy = await openLoneProxy(t, seller.url)
  await ask(`${proxy.url}/a`)
  const page = await ask(`${proxy.url}/spent`, { accept: 'text/html', 'sec-fetch-site': 'none' })
  assert.equal(page.status, 200)
  const targets = [...page.text.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, target = '']) => target)
  assert.ok(targets.length >= 4)
  for (const target of targets.filter((each) => !each.startsWith('#'))) {
    const { status, headers } = await ask(`${proxy.url}${target}`, {
      accept: 'text/css,image/svg+xml,text/html',
      'sec-fetch-site': 'same-origin',
      referer: `${proxy.url}/spent`,
    })
    assert.equal(status, 200, target)
    assert.equal(headers['x-content-type-options'], 'nosniff', target)
  }
  assert.equal(seller.payments.length, 1)
  // A page of another origin can neither read them nor find the proxy by them.
  for (const target of targets.filter((each) => each.startsWith('/')))
    for (const site of ['cross-site', 'same-site'])
      assert.equal((await ask(`${proxy.url}${target}`, { 'sec-fetch-site': site })).status, 400, target)
  for (const method of ['POST', 'PUT']) {
    const call = httpRequest(`${proxy.url}/spent`, { method, headers: { 'sec-fetch-site': 'same-origin' } })
    const [response] = (await once(call.end(), 'response')) as [IncomingMessage]
    assert.ok([400, 405].includes(response.resume().statusCode ?? 0), method)
  }
})
