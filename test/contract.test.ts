import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { parseUsd } from '@tollbook/chain/usdc'
import { json } from '@tollbook/endpoints/answer'
import { describeInput } from '@tollbook/endpoints/arguments/input-fields'
import { readRequest } from '@tollbook/endpoints/arguments/read-request'
import { listingPrice } from '@tollbook/endpoints/documents/listing'
import type { Endpoint } from '@tollbook/endpoints/endpoint'
import { buildInputSchema, buildOutputSchema, type JsonSchema } from '@tollbook/endpoints/json-schema'
import { findIssuesBetween, loadEndpoints } from '@tollbook/endpoints/load'
import { toRequest } from '@tollbook/endpoints/mcp/tool-request'
import { createTools } from '@tollbook/endpoints/mcp/tools'
import { createOffer } from '@tollbook/endpoints/routes/offer'
import { toOfferedRoute } from '@tollbook/endpoints/routes/offered-route'
import type { Service } from '@tollbook/endpoints/service'
import { ServiceExchange } from '@tollbook/endpoints/serving/service-exchange'
import { buildChallenge } from '@tollbook/gate/challenge/payment-required'
import type { Gate } from '@tollbook/gate/contract/exchange'
import { scopeOf } from '@tollbook/gate/contract/paid-route'
import { createOfferSigner } from '@tollbook/gate/contract/signed-offers'
import { ProblemError } from '@tollbook/http/problem'
import { RequestBody } from '@tollbook/http/request/request-body'
import { examplePorts } from '@tollbook/testing/catalogue/example-ports'
import { toRequests } from '@tollbook/testing/catalogue/example-requests'
import { jsonReply } from '@tollbook/testing/catalogue/json-reply'
import { createTestApp, testSeller } from '@tollbook/testing/catalogue/test-app'
import { validateDiscoveryExtension, validateDiscoveryExtensionSpec } from '@x402/extensions/bazaar'
import type { ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'

const SERVICES = ['social', 'utility', 'inference'] as const

const byService = await Promise.all(
  SERVICES.map(async (name) => ({
    name,
    endpoints: await loadEndpoints(new URL(`../apps/${name}/src/`, import.meta.url)),
  })),
)
const all = byService.flatMap(({ endpoints }) => endpoints)

/** Validates the arguments of a call without running it. */
const readingGate: Gate = {
  async serve(exchange) {
    const read = await exchange.readRequest()
    if ('problem' in read) throw new ProblemError(read.problem)
    return jsonReply({ is_readable: true })
  },
}
const { payTo } = testSeller
const channels = { receiverAuthorizer: payTo, withdrawDelay: 86_400 }
const seller = { ...testSeller, facilitatorAddress: payTo, channels }
const OFFER_KEY = `0x${'5a'.repeat(32)}` as const
/** Its address is longer than any that the services are likely to have. */
const service: Service = {
  name: 'utility',
  title: 'Tollbook: a service with a long title',
  description: '',
  baseUrl: `https://${'a-long-name.'.repeat(6)}example`,
  endpoints: [],
  ports: {},
}
const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false })
/** By the text of the schema: compiling takes longest of all this file does, and endpoints of one route share schemas. */
const validators = new Map<string, ValidateFunction>()
/** Texts of declarations that were found valid. */
const validated = new Set<string>()

test('ids and routes are unique over all services', () => {
  assert.deepEqual(findIssuesBetween(all), [])
})

for (const { name, endpoints } of byService) {
  test(`${name}: its OpenAPI document is valid, and short enough for readers`, async () => {
    // As if everything were configured.
    const offered = endpoints.map(({ availability: _, ...endpoint }) => endpoint)
    const text = await (await createTestApp(offered, { seller }).request('/openapi.json')).text()
    const document = JSON.parse(text)
    // Readers with a limit stop at 40 operations (@agentcash/discovery 1.7.5).
    const paths: Readonly<Record<string, object>> = document.paths
    const operations = Object.values(paths).flatMap((methods) => Object.keys(methods))
    assert.ok(operations.length <= 40, `${operations.length} operations`)
    // The running services add receipts, and the utility API also /v1/messages.
    assert.ok(text.length <= 120_000 - 6_000, `${text.length} characters`)
    const { valid, errors } = await new Validator().validate(document as Record<string, unknown>)
    assert.ok(valid, JSON.stringify(errors))
  })
}

for (const endpoint of all) {
  const title = `${endpoint.method} ${endpoint.path}`

  test(`${title}: its example is a valid call`, async () => {
    const parsed = endpoint.input.safeParse(endpoint.example.input)
    assert.ok(parsed.success, parsed.error?.message)
    assert.deepEqual(endpoint.check?.(parsed.data, examplePorts, new Map()) ?? [], [])
    assertMatches(buildInputSchema(endpoint), endpoint.example.input)
    // A free endpoint has no gate: its handler would run, without its ports.
    if (endpoint.pricing.kind === 'free') return
    const sharing = all.filter((other) => other.path === endpoint.path)
    const app = createTestApp(sharing, { gate: readingGate, seller, ports: examplePorts })
    for (const { path, init } of toRequests(endpoint, all)) {
      const response = await app.request(path, init)
      assert.equal(response.status, 200, `${init.method} ${path}: ${await response.text()}`)
    }
  })

  if (endpoint.limits.bodyBytes > 0 && endpoint.accepts !== 'multipart')
    test(`${title}: a body of too many values or names is rejected before it is read`, async () => {
      for (const [body, issue] of Object.entries(maxBodies(endpoint))) {
        const read = await readBody(endpoint, body)
        assert.ok('problem' in read)
        assert.equal(read.problem.detail?.split(/[.;]/)[0], issue)
      }
    })

  test(`${title}: its example answer matches its schema`, () => {
    const parsed = endpoint.output.safeParse(endpoint.example.output)
    assert.ok(parsed.success, parsed.error?.message)
    assertMatches(buildOutputSchema(endpoint), endpoint.example.output)
  })

  test(`${title}: its tool has valid schemas, and a call of it reaches the endpoint`, async () => {
    const endpoints = all.filter((other) => other.path === endpoint.path)
    const offered = { ...endpoint, availability: () => ({ isAvailable: true }) as const }
    const [tool] = createTools({ ...service, endpoints: [offered], tools: [endpoint.id] }).list()
    assert.ok(tool)
    const { inputSchema, outputSchema } = tool
    const input = Object.fromEntries(
      await Promise.all(
        Object.entries(endpoint.example.input).map(async ([name, value]) => [
          name,
          value instanceof Blob ? Buffer.from(await value.bytes()).toString('base64') : value,
        ]),
      ),
    )
    assertMatches(inputSchema, input)
    if (outputSchema) assertMatches(outputSchema, endpoint.example.output)
    if (endpoint.pricing.kind === 'free') return
    const call = { endpoint, arguments: input, payment: {} }
    const request = await toRequest({ ...service, endpoints }, call, new Request(service.baseUrl))
    const response = await createTestApp(endpoints, {
      gate: readingGate,
      seller,
      ports: examplePorts,
    }).request(request)
    assert.equal(response.status, 200, await response.text())
  })

  test(`${title}: its description fits a listing and its price is exact`, () => {
    assert.ok(endpoint.description.length <= 240)
    assert.doesNotMatch(endpoint.description, /[\n\r\t]|^\s|\s$/)
    const amount = parseUsd(listingPrice(endpoint))
    assert.equal(amount > 0n, endpoint.pricing.kind !== 'free')
  })

  if (endpoint.pricing.kind === 'free') continue
  test(`${title}: its declaration is valid for catalogues, whole and as its header has it`, () => {
    const signer = createOfferSigner(OFFER_KEY)
    const { full, paymentRequired } = buildChallenge(toOfferedRoute(service, endpoint), { ...seller, signer })
    for (const { extensions } of [full, paymentRequired]) {
      const bazaar = extensions.bazaar as Parameters<typeof validateDiscoveryExtension>[0]
      const text = JSON.stringify(bazaar)
      // Each validation compiles the meta-schema and the schema again.
      if (validated.has(text)) continue
      assert.deepEqual(validateDiscoveryExtension(bazaar), { valid: true })
      assert.deepEqual(validateDiscoveryExtensionSpec({ ...bazaar }), { valid: true })
      validated.add(text)
    }
  })
}

for (const endpoint of all.filter(({ pricing }) => pricing.kind !== 'free')) {
  const title = `${endpoint.method} ${endpoint.path}`

  test(`${title}: its handler receives the caller's address only if the answer is private to the payer`, async () => {
    for (const input of withoutEachField(endpoint)) {
      if (scopeOf(endpoint, input) !== 'public') continue
      const seen = await Promise.all(
        ['192.0.2.1', '192.0.2.2'].map((from) => addressSeen(endpoint, input, from)),
      )
      assert.deepEqual(seen, ['unknown', 'unknown'], JSON.stringify(input))
    }
  })
}

/** The example's input, complete and without each of its optional fields. */
function withoutEachField({ input, example }: Endpoint): readonly unknown[] {
  const whole = example.input as Readonly<Record<string, unknown>>
  const shorter = Object.keys(whole).map((left) =>
    Object.fromEntries(Object.entries(whole).filter(([name]) => name !== left)),
  )
  return [whole, ...shorter].flatMap((each) => {
    const { success, data } = input.safeParse(each)
    return success ? [data] : []
  })
}

/** The address that the handler receives for a call from an address. */
async function addressSeen(endpoint: Endpoint, input: unknown, clientAddress: string): Promise<string> {
  let seen = ''
  const handle: Endpoint['handle'] = (call) => {
    seen = call.clientAddress
    return json(endpoint.example.output)
  }
  const exchange = new ServiceExchange({
    service: { ...service, ports: examplePorts },
    offer: createOffer(service, { ...endpoint, handle }),
    request: new Request(service.baseUrl),
    requestId: 'a-request',
    clientAddress,
    pathParameters: {},
    clock: () => new Date(),
  })
  const caller = { payer: testSeller.payTo, callId: 'a-call' }
  await exchange.run({ input, files: new Map() }, caller, new AbortController().signal)
  return seen
}

/** Bodies of acceptable size that would block the event loop, each with its expected rejection. */
function maxBodies({ limits, input }: Endpoint): Readonly<Record<string, string>> {
  const { bodyBytes, bodyValues = 50_000 } = limits
  const names = Array.from({ length: 501 }, (_, at) => `"k${at}":0`)
  const isWhole = Object.hasOwn(input.shape, 'body')
  return {
    ...(bodyBytes > bodyValues * 2 + 20 && {
      [`{"a":[${'0,'.repeat(bodyValues)}0]}`]: `The body has more than ${bodyValues} values`,
    }),
    ...(!isWhole && bodyBytes > 6000 && { [`{${names}}`]: 'body has more than 500 members' }),
  }
}

function readBody(endpoint: Endpoint, body: string) {
  const names = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '')
  return readRequest({
    endpoint,
    ports: examplePorts,
    fields: describeInput(endpoint),
    query: '',
    clientAddress: '127.0.0.1',
    signal: new AbortController().signal,
    pathParameters: Object.fromEntries(names.map((name) => [name, '1'])),
    headers: new Headers({ 'content-type': 'application/json' }),
    body: new RequestBody(new Blob([body]).stream()),
  })
}

function assertMatches(schema: JsonSchema, value: unknown): void {
  const plain = JSON.parse(JSON.stringify(value, (_, item) => (item instanceof Blob ? '(file)' : item)))
  const text = JSON.stringify(schema)
  const validate = validators.get(text) ?? ajv.compile(schema)
  validators.set(text, validate)
  assert.ok(validate(plain), ajv.errorsText(validate.errors))
}
