import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { BASE } from '@tollbook/chain/network'
import { openShop, type Shop } from '@tollbook/testing/paying/shop'
import { exactTerms, uptoTerms } from '@tollbook/testing/payments/offered-payment'
import { fc, slowRuns } from '@tollbook/testing/property'
import { decodePaymentSignatureHeader, encodePaymentRequiredHeader } from '@x402/core/http'
import type { PaymentRequirements } from '@x402/core/types'
import { type OpenProxy, openProxy } from '../paying/open-proxy.ts'

const GOOD = '/test/good?word=toll'

let shop: Shop
/** Proxies and servers of the tests, closed in reverse order. */
const opened: { close(): unknown }[] = []
before(async () => {
  shop = await openShop()
})
after(async () => {
  for (const { close } of opened.reverse()) await close()
  await shop?.close()
})

async function startProxy(options?: Parameters<typeof openProxy>[1]): Promise<OpenProxy> {
  const proxy = await openProxy(shop, options)
  opened.push(proxy)
  return proxy
}

/** A seller that a test plays. */
async function startUpstream(
  answer: (request: IncomingMessage, response: ServerResponse) => unknown,
): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  opened.push({
    close() {
      server.closeAllConnections()
      server.close()
    },
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const toRequired = (terms: object) =>
  encodePaymentRequiredHeader({
    x402Version: 2,
    resource: { url: 'http://127.0.0.1/', description: 'a test', mimeType: 'application/json' },
    accepts: [terms as never],
  })

/** A seller whose first 402 has one price, and which answers every payment with a 402 with other terms. */
function startGreedy(first: object, second: object) {
  const seen: string[] = []
  const started = startUpstream((request, response) => {
    const payment = request.headers['payment-signature'] as string | undefined
    if (payment !== undefined) seen.push(payment)
    const terms = payment === undefined ? first : second
    response.writeHead(402, { 'payment-required': toRequired(terms) }).end('{"error":"pay more"}')
  })
  return started.then((url) => ({ url, seen }))
}

const STRANGER = `0x${'11'.repeat(20)}`
for (const [what, second] of Object.entries({
  'a higher price': { ...exactTerms('10000'), amount: '20000' },
  'another payee': { ...exactTerms('10000'), payTo: STRANGER },
  'another network': { ...exactTerms('10000'), network: 'eip155:1' },
  'another token': { ...exactTerms('10000'), asset: STRANGER },
}))
  test(`a seller that answers a payment with ${what} is not paid again, and its first price counts`, async () => {
    const { url, seen } = await startGreedy(exactTerms('10000'), second)
    const proxy = await startProxy({ to: url, budget: '0.03' })
    const response = await fetch(proxy.url)
    assert.deepEqual([response.status, await response.json()], [402, { error: 'pay more' }])
    assert.equal(seen.length, 1)
    const { payload } = decodePaymentSignatureHeader(seen[0] ?? '')
    const { value, to } = payload.authorization as { value: string; to: string }
    assert.deepEqual([value, to], ['10000', exactTerms('10000').payTo])
    // It holds a valid signature, whatever it says.
    assert.deepEqual(proxy.buyer.totals(), { spent: 0n, open: 10_000n })
    for (let calls = 0; calls < 4; calls += 1) await (await fetch(proxy.url)).arrayBuffer()
    assert.equal(seen.length, 3)
    assert.deepEqual(proxy.buyer.totals(), { spent: 0n, open: 30_000n })
  })

test('a payment that bought only errors is sent until it ends, then another one', async () => {
  const seen: string[] = []
  const terms = exactTerms('10000', { maxTimeoutSeconds: 2 })
  const url = await startUpstream(({ headers }, response) => {
    const payment = headers['payment-signature'] as string | undefined
    if (payment === undefined) return response.writeHead(402, { 'payment-required': toRequired(terms) }).end()
    seen.push(payment)
    return response.writeHead(payment === seen[0] ? 500 : 200).end()
  })
  const proxy = await startProxy({ to: url })
  const ask = async () => (await fetch(proxy.url)).status
  assert.deepEqual([await ask(), await ask()], [500, 500])
  // Until a block after its end shows that it was not charged.
  while ((await ask()) === 500) await wait(200)
  const ends = seen.map((payment) => {
    const { authorization } = decodePaymentSignatureHeader(payment).payload
    return Number((authorization as { validBefore: string }).validBefore)
  })
  const last = seen.at(-1)
  assert.ok(seen.length > 3 && seen.slice(0, -1).every((payment) => payment === seen[0]) && last !== seen[0])
  assert.ok((ends.at(-1) ?? 0) > (ends[0] ?? 0))
})

test('a 402 whose body never ends is read to a bound, and its connection is closed', async () => {
  const closed = Promise.withResolvers<void>()
  const piece = Buffer.alloc(65_536, ' ')
  const url = await startUpstream(({ headers }, response) => {
    if (headers['payment-signature'] !== undefined) return void response.end('sold')
    response.writeHead(402, { 'payment-required': toRequired(exactTerms('10000')) })
    const write = () => void (response.write(piece) && setImmediate(write))
    response.on('drain', write).on('close', () => closed.resolve())
    write()
  })
  const proxy = await startProxy({ to: url })
  assert.equal(await (await fetch(proxy.url)).text(), 'sold')
  await closed.promise
})

test('a payment that the seller calls used is not sent again', async () => {
  const seen: string[] = []
  const url = await startUpstream(({ headers }, response) => {
    const payment = headers['payment-signature'] as string | undefined
    if (payment !== undefined) seen.push(payment)
    response.writeHead(payment ? 409 : 402, { 'payment-required': toRequired(exactTerms('10000')) }).end()
  })
  const proxy = await startProxy({ to: url, budget: '0.02' })
  for (const status of [409, 409, 402]) assert.equal((await fetch(proxy.url)).status, status)
  assert.deepEqual([seen.length, new Set(seen).size, proxy.buyer.totals().open], [2, 2, 20_000n])
})

for (const [what, terms] of Object.entries({
  'on another network': { ...exactTerms('10000'), network: 'eip155:1' },
  'of another token': { ...exactTerms('10000'), asset: STRANGER },
  'with a lifetime of days': exactTerms('10000', { maxTimeoutSeconds: 200_000 }),
  'through a contract that nobody checked': exactTerms('10000', {
    extra: { assetTransferMethod: 'permit2' },
  }),
  'without an amount': { ...exactTerms('10000'), amount: null },
}))
  test(`a payment ${what} is never sent`, async () => {
    const { url, seen } = await startGreedy(terms, terms)
    const proxy = await startProxy({ to: url })
    const response = await fetch(proxy.url)
    assert.equal(response.status, 402)
    assert.match(((await response.json()) as { detail: string }).detail, /^Not paid: /)
    assert.deepEqual([seen, proxy.buyer.totals()], [[], { spent: 0n, open: 0n }])
  })

/** Valid terms of which some members are replaced by anything. */
const anything = fc.oneof(
  { weight: 3, arbitrary: fc.anything({ maxDepth: 2 }) },
  fc.constantFrom('0', '-1', '1e3', '9'.repeat(80), 30_000, STRANGER, 'eip155:1', 'exact', 'upto', 'permit2'),
)
const someTerms = fc
  .tuple(
    fc.constantFrom<object>(exactTerms('10000'), exactTerms('200000'), uptoTerms('30000')),
    fc.dictionary(
      fc.constantFrom('scheme', 'network', 'amount', 'asset', 'payTo', 'maxTimeoutSeconds', 'extra'),
      anything,
      { maxKeys: 2 },
    ),
  )
  .map(([terms, changes]) => ({ ...terms, ...changes }))
const someRequired = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.array(fc.oneof({ weight: 6, arbitrary: someTerms }, anything), { maxLength: 3 }),
  },
  anything,
)

test('whatever a 402 contains, at most the maximum is signed, in USDC on Base, and the sum stays in the budget', async () => {
  let header = ''
  const sent: { readonly amount: bigint; readonly ends: number; readonly terms: PaymentRequirements }[] = []
  const url = await startUpstream(({ headers }, response) => {
    const payment = headers['payment-signature'] as string | undefined
    if (payment !== undefined) {
      const { accepted, payload } = decodePaymentSignatureHeader(payment)
      const { authorization: exact, permit2Authorization: upto } = payload as {
        authorization?: { value: string; validBefore: string }
        permit2Authorization?: { permitted: { amount: string }; deadline: string }
      }
      const amount = BigInt(exact?.value ?? upto?.permitted.amount ?? -1)
      sent.push({ amount, ends: Number(exact?.validBefore ?? upto?.deadline), terms: accepted })
    }
    response.writeHead(payment === undefined ? 402 : 200, { 'payment-required': header }).end()
  })
  const proxy = await startProxy({ to: url, budget: '0.2', max: '0.1' })
  const property = fc.asyncProperty(someRequired, fc.anything(), async (accepts, resource) => {
    header = Buffer.from(
      JSON.stringify({ x402Version: 2, accepts, resource }, (_, value) =>
        typeof value === 'bigint' ? `${value}` : value,
      ),
    ).toString('base64')
    const { status } = await fetch(proxy.url)
    assert.ok(status === 200 || status === 402, `${status}`)
    assert.ok(sent.every(({ amount }) => amount >= 0n && amount <= 100_000n))
    const { spent, open } = proxy.buyer.totals()
    // What has ended makes room.
    const held = sent.filter(({ ends }) => ends > Date.now() / 1000)
    const sum = held.reduce((before, { amount }) => before + amount, 0n)
    assert.ok(sum <= spent + open && spent + open <= 200_000n, `${sum} of ${spent} and ${open}`)
  })
  await fc.assert(property, { numRuns: slowRuns(200) })
  assert.ok(sent.length > 5)
  for (const { terms } of sent) assert.deepEqual([terms.network, terms.asset], ['eip155:8453', BASE.usdc])
})

test('an unreachable service is a 502 without a payment, and a redirect is passed on with none', async () => {
  let followed = 0
  const other = await startUpstream((_, response) => {
    followed += 1
    response.end()
  })
  const url = await startUpstream((request, response) => {
    if (request.url === '/cut') request.socket.destroy()
    else if (request.url === '/own') response.writeHead(307, { location: `${url}/other` }).end()
    else response.writeHead(307, { location: `${other}/` }).end()
  })
  const proxy = await startProxy({ to: url })
  const cut = await fetch(`${proxy.url}/cut`)
  assert.deepEqual([cut.status, ((await cut.json()) as { code: string }).code], [502, 'upstream_failed'])
  const away = await fetch(proxy.url, { redirect: 'manual' })
  assert.deepEqual([away.status, away.headers.get('location')], [307, `${other}/`])
  const own = await fetch(`${proxy.url}/own`, { redirect: 'manual' })
  assert.equal(own.headers.get('location'), '/other')
  assert.deepEqual([followed, proxy.buyer.totals()], [0, { spent: 0n, open: 0n }])
})

test('keys, cookies and headers of the connection stay here; the rest is forwarded unchanged', async () => {
  const heads: Record<string, unknown>[] = []
  const url = await startUpstream(async (request, response) => {
    heads.push({ ...request.headers, body: await readText(request), url: request.url })
    response
      .writeHead(200, { 'x-answer': 'kept', connection: 'close', 'set-cookie': ['a=1', 'b=2'] })
      .end('{}')
  })
  const sent = {
    authorization: 'Bearer sk-mine',
    'x-api-key': 'sk-mine',
    cookie: 'a=1',
    'payment-signature': 'mine',
    'x-private': 'a',
    connection: 'x-private',
    'x-kept': 'yes',
  }
  for (const sendsKeys of [false, true]) {
    const proxy = await startProxy({ to: url, sendsKeys })
    const call = httpRequest(`${proxy.url}/a%2Fb?c=d&c=e`, { method: 'POST', headers: sent }).end('text')
    const [response] = (await once(call, 'response')) as [IncomingMessage]
    assert.deepEqual([response.headers['x-answer'], response.headers['set-cookie']], ['kept', ['a=1', 'b=2']])
    response.resume()
  }
  for (const [at, head] of heads.entries()) {
    assert.deepEqual([head['x-kept'], head.body, head.url], ['yes', 'text', '/a%2Fb?c=d&c=e'])
    for (const name of ['cookie', 'payment-signature', 'x-private']) assert.equal(head[name], undefined, name)
    assert.equal(head.authorization, at === 0 ? undefined : 'Bearer sk-mine')
    assert.equal(head['x-api-key'], at === 0 ? undefined : 'sk-mine')
  }
  assert.equal(heads.length, 2)
})

test('a web page cannot spend: foreign hosts, origins and requests of browsers are refused', async () => {
  const proxy = await startProxy()
  const port = new URL(proxy.url).port
  const ask = async (path: string, headers: Record<string, string>) => {
    const call = httpRequest(`${proxy.url}${path}`, { headers }).end()
    const [response] = (await once(call, 'response')) as [IncomingMessage]
    await readText(response)
    return response.statusCode
  }
  for (const headers of [
    { host: `evil.example:${port}` },
    { host: 'evil.example' },
    { origin: 'https://evil.example' },
    { origin: proxy.url },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'none' },
  ])
    assert.equal(await ask(GOOD, headers as never), 400, JSON.stringify(headers))
  assert.equal(await ask('/spent', { 'sec-fetch-site': 'cross-site' }), 400)
  assert.equal(await proxy.spentOnChain(), 0n)
  assert.equal(await ask(GOOD, { host: `localhost:${port}` }), 200)
  const page = await fetch(`${proxy.url}/spent`, { headers: { accept: 'text/html' } })
  assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'/)
  assert.match(await page.text(), /<h1>\$0\.01 spent<\/h1>[\s\S]*\/test\/good[\s\S]*settled/)
})
