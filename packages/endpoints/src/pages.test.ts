import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import type { SellerTerms } from '@tollbook/gate/contract/terms'
import { PROBLEMS } from '@tollbook/http/problem'
import { PROBLEM_GUIDE } from '@tollbook/http/problem-guide'
import { createTestApp, testSeller } from '@tollbook/testing/catalogue/test-app'
import * as z from 'zod'
import { json } from './answer.ts'
import { defineEndpoint } from './endpoint.ts'

const common = {
  summary: 'A test & more',
  output: z.object({ said: z.string() }),
  limits: { bodyBytes: 1500, timeoutMs: 2000 },
  handle: () => json({ said: '' }),
} as const
const echo = defineEndpoint({
  ...common,
  id: 'echo',
  method: 'GET',
  path: '/api/echo',
  pricing: { kind: 'exact', priceUsd: '0.002237' },
  description: 'Says <script>alert(1)</script> & what it is told.',
  input: z.object({
    text: z.string().min(1).max(80).describe('What to say.'),
    times: z.coerce.number().int().min(1).max(9).default(1),
  }),
  example: { input: { text: "it's" }, output: { said: "it's" } },
})
const putRow = defineEndpoint({
  ...common,
  id: 'row.put',
  method: 'PUT',
  path: '/api/rows/{row}',
  pricing: { kind: 'exact', priceUsd: '0.005' },
  description: 'Puts a row.',
  input: z.object({ row: z.string(), body: z.array(z.number()) }),
  example: { input: { row: 'a b', body: [1] }, output: { said: '' } },
})
const upload = defineEndpoint({
  ...common,
  id: 'upload',
  method: 'POST',
  path: '/api/upload',
  pricing: { kind: 'metered', priceUsd: '0.015', minimumUsd: '0.001', isExactFirst: true },
  accepts: 'multipart',
  description: 'Takes a file.',
  input: z.object({ file: z.file().max(1000), mode: z.enum(['a', 'b']).optional() }),
  example: { input: { file: new File(['x'], 'x') }, output: { said: '' } },
})
const voices = defineEndpoint({
  ...common,
  id: 'voices',
  method: 'GET',
  path: '/v1/voices',
  pricing: { kind: 'free' },
  description: 'Lists voices.',
  input: z.object({}),
  example: { input: {}, output: { said: '' } },
})
const app = createTestApp([echo, putRow, upload, voices])

async function ask(path: string): Promise<{ headers: Headers; text: string }> {
  const response = await app.request(path)
  assert.equal(response.status, 200, path)
  return { headers: response.headers, text: await response.text() }
}
const askJson = async (path: string) => JSON.parse((await ask(path)).text)

test('the OpenAPI document is valid 3.1 and has prices in the format that catalogues read', async () => {
  const document = await askJson('/openapi.json')
  const { valid, errors } = await new Validator().validate(structuredClone(document))
  assert.ok(valid, JSON.stringify(errors))
  assert.equal(document.openapi, '3.1.0')
  assert.deepEqual(Object.keys(document.paths), ['/api/echo', '/api/rows/{row}', '/api/upload', '/v1/voices'])
  assert.deepEqual(document.paths['/api/echo'].get['x-payment-info'].price, {
    mode: 'fixed',
    currency: 'USD',
    amount: '0.002237',
  })
  const metered = document.paths['/api/upload'].post['x-payment-info']
  assert.deepEqual(metered.price, { mode: 'dynamic', currency: 'USD', min: '0.001', max: '0.015' })
  assert.equal(metered.protocols[0].x402.amount, '15000')
  assert.equal(document.paths['/v1/voices'].get['x-payment-info'], undefined)
  assert.deepEqual(Object.keys(document.paths['/api/echo']), ['get'])
  // Free operations need no authorization.
  assert.deepEqual(document.paths['/v1/voices'].get.security, [])
  assert.deepEqual(Object.keys(document.paths['/api/rows/{row}']), ['put'])
  const put = document.paths['/api/rows/{row}'].put
  assert.deepEqual(
    put.parameters.map((parameter: { in: string }) => parameter.in),
    ['path', undefined],
  )
  assert.deepEqual(put.parameters[1], { $ref: '#/components/parameters/Idempotency-Key' })
  assert.equal(put.requestBody.content['application/json'].schema.type, 'array')
})

test('discovery lists every resource with its requirements, page by page', async () => {
  const all = await askJson('/discovery/resources')
  assert.equal(all.x402Version, 2)
  assert.deepEqual(all.pagination, { limit: 20, offset: 0, total: 4 })
  assert.deepEqual(
    all.items.map((item: { resource: string }) => item.resource),
    ['/api/echo', '/api/rows/:row', '/api/upload', '/v1/voices'].map((path) => `https://test.example${path}`),
  )
  const [first] = all.items
  assert.equal(first.type, 'http')
  // 0.002237 dollars are 2,237 micro-USDC.
  assert.equal(first.accepts[0].amount, '2237')
  assert.equal(first.extensions.bazaar.info.input.method, 'GET')
  assert.ok(!Number.isNaN(Date.parse(first.lastUpdated)))
  // Listed with price 0, as specification 4.5 requires for the voices.
  assert.equal(all.items[3].accepts[0].amount, '0')
  const second = await askJson('/discovery/resources?limit=1&offset=1')
  assert.deepEqual(second.items, [all.items[1]])
  assert.deepEqual(second.pagination, { limit: 1, offset: 1, total: 4 })
  assert.deepEqual((await askJson('/discovery/resources?offset=4')).items, [])
  assert.equal((await askJson('/discovery/resources?limit=1000')).pagination.limit, 1000)
  assert.equal((await askJson('/discovery/resources?type=mcp')).pagination.total, 0)
})

test('a page of discovery outside its range is an error that names the parameter', async () => {
  const refused = {
    'limit=0': 'limit must be at least 1.',
    'limit=1001': 'limit must be at most 1000.',
    'limit=': 'limit must be a whole number.',
    'limit=1.5': 'limit must be a whole number.',
    'offset=-1': 'offset must be at least 0.',
    'limit=x&offset=-1': 'limit must be a whole number; offset must be at least 0.',
  }
  for (const [query, detail] of Object.entries(refused)) {
    const response = await app.request(`/discovery/resources?${query}`)
    assert.equal(response.status, 400, query)
    const problem = (await response.json()) as Record<string, unknown>
    assert.deepEqual([problem.code, problem.detail], ['invalid_request', detail])
  }
})

test('the well-known file names paid resources only', async () => {
  const { version, resources } = await askJson('/.well-known/x402')
  assert.equal(version, 1)
  assert.deepEqual(resources, [
    'https://test.example/api/echo',
    'https://test.example/api/rows/:row',
    'https://test.example/api/upload',
  ])
})

test('the listing is sorted by price, and a free endpoint has price 0', async () => {
  const listing = await askJson('/listing.json')
  assert.deepEqual(
    listing.map((record: { price_usd: number }) => record.price_usd),
    [0, 0.002237, 0.005, 0.015],
  )
  assert.deepEqual(listing[2], {
    resource: 'https://test.example/api/rows/:row',
    price_usd: 0.005,
    description: 'Puts a row.',
  })
})

test('the page escapes endpoint texts, runs no script and makes no external requests', async () => {
  const { headers, text } = await ask('/')
  assert.match(text, /Says &lt;script&gt;alert\(1\)&lt;\/script&gt; &amp; what it is told\./)
  assert.doesNotMatch(
    text,
    /<script|<iframe|<style|(src|href)="(?!\/|#|https:\/\/(www\.x402\.org|test\.example)\/)/,
  )
  for (const endpoint of [echo, putRow, upload, voices]) assert.ok(text.includes(`id="${endpoint.id}"`))
  assert.match(text, /curl 'https:\/\/test\.example\/api\/echo\?text=it%27s'|it&#39;s/)
  assert.match(
    headers.get('content-security-policy') ?? '',
    /^default-src 'none'; style-src 'self'; .*frame-ancestors 'none'$/,
  )
  const style = await ask('/style.css')
  assert.equal(style.headers.get('content-type'), 'text/css; charset=utf-8')
})

test('a variant is shown with its endpoint, with its own path and price, and alone if that one is absent', async () => {
  const metered = defineEndpoint({
    ...common,
    id: 'echo.upto',
    method: 'GET',
    path: '/api/echo/upto',
    pricing: { kind: 'metered', priceUsd: '0.015', minimumUsd: '0.001', isExactFirst: false },
    variant: { of: 'echo', name: 'by the letter' },
    description: 'Says what it is told, charged by the letter.',
    input: echo.input,
    example: echo.example,
  })
  const read = async (path: string, endpoints: Parameters<typeof createTestApp>[0]) =>
    await (await createTestApp(endpoints).request(path)).text()
  const page = await read('/', [metered, echo])
  const [table = '', ...sections] = page.split('<section ')
  assert.equal(sections.length, 1)
  assert.match(table, /also <a href="#echo\.upto">by the letter<\/a>/)
  assert.equal(table.match(/<tr><td class="price">/g)?.length, 1)
  assert.match(
    sections[0] ?? '',
    /<tr id="echo\.upto"><td class="price">\$0\.001 to \$0\.015 metered<\/td><td><code>GET \/api\/echo\/upto<\/code>/,
  )
  assert.match(sections[0] ?? '', /charged by the letter\./)
  assert.match(await read('/', [metered]), /<section id="echo\.upto">/)
  const listing = JSON.parse(await read('/listing.json', [metered, echo]))
  assert.deepEqual(
    listing.map((record: { price_usd: number }) => record.price_usd),
    [0.002237, 0.015],
  )
})

test('an unavailable endpoint is marked with what enables it, as long as it is unavailable', async () => {
  let isSetUp = false
  const problem = { code: 'not_configured', detail: 'The operator names an upstream (TOLLBOOK_X).' } as const
  const isDown = {
    isAvailable: false,
    problem: { code: 'unavailable', detail: 'No upstream answers.' },
  } as const
  const picture = defineEndpoint({
    ...common,
    id: 'picture',
    method: 'GET',
    path: '/api/picture',
    pricing: { kind: 'exact', priceUsd: '0.07' },
    description: 'Makes a picture.',
    input: z.object({}),
    example: { input: {}, output: { said: '' } },
    availability: () => (isSetUp ? { isAvailable: true } : { isAvailable: false, problem }),
  })
  const served = createTestApp([echo, picture])
  const read = async (path: string) => await (await served.request(path)).text()
  const page = await read('/')
  assert.match(page, /1 of 2<\/span> are currently unavailable/)
  assert.equal(page.match(/class="tag mark">not configured here/g)?.length, 1)
  const [, section = ''] = page.split('<section id="picture">')
  assert.match(
    section,
    /Currently not configured here\.<\/strong>.*For the operator.*The operator names an upstream \(TOLLBOOK_X\)/,
  )
  assert.match(
    await read('/llms.txt'),
    /Currently not configured here: The operator names an upstream \(TOLLBOOK_X\)/,
  )
  isSetUp = true
  for (const path of ['/', '/llms.txt'])
    assert.doesNotMatch(await read(path), /not configured here|currently unavailable/)
  const failing = createTestApp([{ ...picture, availability: () => isDown }])
  const shown = await (await failing.request('/')).text()
  assert.match(shown, /Currently not answering\.<\/strong> No upstream answers\./)
})

test('llms.txt has the price, parameters and a call of every endpoint', async () => {
  const { text } = await ask('/llms.txt')
  assert.match(text, /### GET or POST \/api\/echo\n\$0\.002237\. Says/)
  assert.match(text, /- `text` \(string, 1 to 80 characters, required\): What to say\./)
  assert.match(text, /- `times` \(integer, 1 to 9, default 1\)/)
  assert.match(
    text,
    /curl -X PUT 'https:\/\/test\.example\/api\/rows\/a%20b' -H 'content-type: application\/json' -d '\[1\]'/,
  )
  assert.match(text, /### POST \/api\/upload\n\$0\.001 to \$0\.015 metered, or \$0\.015 fixed\./)
  assert.match(text, /### GET or POST \/v1\/voices\nFree\./)
})

test('exactly the problem codes of the registry are explained', async () => {
  for (const [code, paragraphs] of Object.entries(PROBLEM_GUIDE)) assert.ok(paragraphs.length >= 2, code)
  const { text } = await ask('/problems')
  for (const code of Object.keys(PROBLEMS)) assert.ok(text.includes(`<section id="${code}"`), code)
})

test('pages accept GET and HEAD only', async () => {
  const head = await app.request('/openapi.json', { method: 'HEAD' })
  assert.deepEqual([head.status, await head.text()], [200, ''])
  const post = await app.request('/openapi.json', { method: 'POST' })
  assert.deepEqual([post.status, post.headers.get('allow')], [405, 'GET, HEAD, OPTIONS'])
})

test("an endpoint payable only by upto is in discovery once the facilitator's address is known, and affects nothing else", async () => {
  const metered = defineEndpoint({
    ...common,
    id: 'metered',
    method: 'GET',
    path: '/api/metered',
    pricing: { kind: 'metered', priceUsd: '0.015', minimumUsd: '0.001', isExactFirst: false },
    description: 'Charges what it used.',
    input: z.object({}),
    example: { input: {}, output: { said: '' } },
  })
  const listed = async (seller: SellerTerms) => {
    const answer = await createTestApp([echo, metered], { seller }).request('/discovery/resources')
    const { items } = (await answer.json()) as { items: readonly { resource: string }[] }
    return items.map(({ resource }) => new URL(resource).pathname)
  }
  assert.deepEqual(await listed(testSeller), ['/api/echo'])
  const facilitatorAddress = '0x00000000000000000000000000000000000000cc'
  assert.deepEqual(await listed({ ...testSeller, facilitatorAddress }), ['/api/echo', '/api/metered'])
})
