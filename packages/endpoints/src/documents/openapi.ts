import { buildPaymentTerms, isPaidByMpp, type SellerTerms } from '@tollbook/gate/contract/terms'
import { pathParametersOf } from '../call-parts.ts'
import type { Endpoint } from '../endpoint.ts'
import { answerTypeOf, buildInputSchema, buildOutputSchema, type JsonSchema } from '../json-schema.ts'
import { listOffered } from '../routes/read-availability.ts'
import type { Service } from '../service.ts'
import { buildErrorContent, buildErrorSchemas } from './error-schemas.ts'
import { sayPrice } from './llms-text.ts'
import { describeService } from './money-note.ts'
import { PRODUCT } from './product-version.ts'
import { shareParameters, shareSchemas } from './share-schemas.ts'
import { type GroupedEndpoint, groupSamePrice } from './variants.ts'

type Json = Record<string, unknown>

/**
 * OpenAPI 3.1 of what a service sells, with `x-payment-info` (x402scan, docs/DISCOVERY.md).
 * @param seller absent if all endpoints are free.
 */
export function buildOpenApi(service: Service, seller: SellerTerms | undefined): Json {
  const { version, license: product } = PRODUCT
  const { ownershipProofs } = service.profile ?? {}
  const license = service.license ?? { name: product, identifier: product }
  const byPath = Map.groupBy(groupSamePrice(listOffered(service)), ({ endpoint }) => endpoint.path)
  const operations = [...byPath].map(([path, sharing]) => [
    path,
    Object.fromEntries(sharing.map((operation) => buildOperation(operation, seller))),
  ])
  const errors = buildErrorSchemas(service.endpoints)
  const shared = shareSchemas(Object.fromEntries(operations), Object.keys(errors))
  const { paths, parameters } = shareParameters(shared.paths)
  return {
    openapi: '3.1.0',
    info: {
      title: service.title,
      version,
      description: describeService(service),
      contact: buildContact(service),
      license,
      'x-guidance': seller
        ? `Paid calls answer 402 until they are paid; see ${service.baseUrl}/llms.txt for how to pay.`
        : `All calls are free; see ${service.baseUrl}/llms.txt.`,
    },
    ...(seller && { 'x-service-info': buildServiceInfo(service) }),
    ...(ownershipProofs && { 'x-agentcash-provenance': { ownershipProofs } }),
    servers: [{ url: service.baseUrl }],
    // No call needs an account or a key; a payment is none.
    security: [],
    ...(seller && {
      externalDocs: { url: `${service.baseUrl}/`, description: 'All endpoints with prices and examples' },
    }),
    paths,
    components: {
      schemas: { ...errors, ...shared.schemas },
      parameters,
      responses: buildSharedResponses(service.endpoints),
      ...(seller && { headers: PAID_HEADERS }),
    },
  }
}

/** The operator's address, or else the page of the service. */
function buildContact({ title, baseUrl, profile }: Service): Readonly<Record<string, string>> {
  const { contact = `${baseUrl}/` } = profile ?? {}
  return { name: title, [contact.includes('://') ? 'url' : 'email']: contact }
}

/** An endpoint's operation; a read that POST accepts, too, is one operation. */
function buildOperation(
  { endpoint, others }: GroupedEndpoint,
  seller: SellerTerms | undefined,
): [string, Json] {
  const input = buildInputSchema(endpoint)
  const isRead = endpoint.method === 'GET' || endpoint.method === 'DELETE'
  const isPaid = seller !== undefined && endpoint.pricing.kind !== 'free'
  const also = others.map((other) =>
    other.variant?.isBrief ? ` Also at ${other.path}, ${sayPrice(other)}.` : ` Also at ${other.path}.`,
  )
  return [
    endpoint.method.toLowerCase(),
    {
      operationId: endpoint.id,
      summary: endpoint.summary,
      description:
        endpoint.description + also.join('') + (isRead && endpoint.accepts === 'either' ? SENT : ''),
      ...(isPaid ? { 'x-payment-info': buildPaymentInfo(endpoint, seller) } : { security: [] }),
      responses: buildResponses(endpoint),
      ...(isRead ? { parameters: toParameters(endpoint, input, true) } : toBodyPlaces(endpoint, input)),
      ...(isPaid && { parameters: [...toParameters(endpoint, input, isRead), IDEMPOTENCY_KEY] }),
    },
  ]
}

function toParameters(endpoint: Endpoint, input: JsonSchema, withQuery: boolean): Json[] {
  const inPath = new Set(pathParametersOf(endpoint))
  const inHeader = new Set(Object.values(endpoint.headerFields ?? {}))
  // A field that may be sent in a header is optional in the query; a schema cannot require exactly one of the two.
  const required = new Set(((input.required ?? []) as string[]).filter((name) => !inHeader.has(name)))
  const parameters = Object.entries((input.properties ?? {}) as Record<string, JsonSchema>)
    .filter(([name, { format }]) => (withQuery && format !== 'binary') || inPath.has(name))
    .map(([name, { description, ...schema }]) => ({
      name,
      in: inPath.has(name) ? 'path' : 'query',
      ...((inPath.has(name) || required.has(name)) && { required: true }),
      ...(description !== undefined && { description }),
      schema,
      ...exampleOf(endpoint, name),
    }))
  return [...parameters, ...toHeaderParameters(endpoint, input)]
}

function toHeaderParameters({ headerFields = {} }: Endpoint, input: JsonSchema): Json[] {
  const properties = (input.properties ?? {}) as Record<string, JsonSchema>
  return Object.entries(headerFields).map(([name, field]) => {
    const { description: _, ...schema } = properties[field] ?? {}
    return { name, in: 'header', description: `Alternative to ${field}.`, schema }
  })
}

/** Path parameters, and a body with all other fields; a field named `body` is the whole body. */
function toBodyPlaces(endpoint: Endpoint, input: JsonSchema): Json {
  const inPath = new Set(pathParametersOf(endpoint))
  const { $schema: _, ...schema } = input
  const properties = Object.entries((input.properties ?? {}) as Record<string, JsonSchema>)
  const whole = properties.find(([name]) => name === 'body')?.[1]
  const elsewhere = new Set([...inPath, ...Object.values(endpoint.headerFields ?? {})])
  const fields = {
    ...schema,
    properties: Object.fromEntries(properties.filter(([name]) => !inPath.has(name))),
    required: ((input.required ?? []) as string[]).filter((name) => !elsewhere.has(name)),
  }
  const { file: _file, ...texts } = fields.properties
  const json = endpoint.accepts === 'either' ? { ...fields, properties: texts } : fields
  const schemas = TYPES[endpoint.accepts ?? 'json'].map((type) => [
    type,
    { schema: whole ?? (type === 'application/json' ? json : fields) },
  ])
  return {
    parameters: toParameters(endpoint, input, false),
    requestBody: { required: fields.required.length > 0, content: Object.fromEntries(schemas) },
  }
}

function exampleOf(endpoint: Endpoint, name: string): Json {
  const value = (endpoint.example.input as Json)[name]
  return value === undefined || value instanceof Blob ? {} : { example: value }
}

function buildPaymentInfo(endpoint: Endpoint, seller: SellerTerms): Json {
  const { pricing } = endpoint
  if (pricing.kind === 'free') return {}
  const price =
    pricing.kind === 'exact'
      ? { mode: 'fixed', currency: 'USD', amount: pricing.priceUsd }
      : { mode: 'dynamic', currency: 'USD', min: pricing.minimumUsd, max: pricing.priceUsd }
  const terms = buildPaymentTerms(endpoint, seller)
  // Further ways to pay, and what signing needs, are in the 402.
  const x402 = terms
    .slice(0, 1)
    .map(({ scheme, network, amount, asset, payTo }) => ({ x402: { scheme, network, amount, asset, payTo } }))
  if (!isPaidByMpp(endpoint)) return { price, protocols: x402 }
  const exact = terms.filter(({ scheme }) => scheme === 'exact')
  const charges = exact.map(({ amount, asset }) => ({ ...CHARGE, amount, currency: asset }))
  const mpp = exact.map(({ asset }) => ({ mpp: { ...CHARGE, currency: asset } }))
  return { price, protocols: [...x402, ...mpp], offers: charges }
}

function buildResponses(endpoint: Endpoint): Json {
  const { $schema: _, ...schema } = buildOutputSchema(endpoint)
  const type = answerTypeOf(endpoint)
  const isPaid = endpoint.pricing.kind !== 'free'
  return {
    [endpoint.status ?? 200]: {
      description: 'Success.',
      content: { [type]: { schema: withoutClosing(schema) } },
      ...(endpoint.hasValidators && { headers: VALIDATORS }),
    },
    ...(endpoint.hasValidators && { 304: NOT_MODIFIED }),
    ...(isPaid && { 402: { $ref: toResponseRef(paymentResponseOf(endpoint)) } }),
    default: { $ref: toResponseRef(errorResponseOf(endpoint)) },
  }
}

/** An answer may get further members; a tenth of the document would say that it has none now. */
function withoutClosing(schema: JsonSchema): JsonSchema {
  return JSON.parse(
    JSON.stringify(schema, (name, value) =>
      name === 'additionalProperties' && value === false ? undefined : value,
    ),
  )
}

/** The responses that endpoints share, by name: errors and demands for payment, in each dialect. */
function buildSharedResponses(endpoints: readonly Endpoint[]): Json {
  const shared = endpoints.flatMap((endpoint): [string, Json][] => {
    const content = buildErrorContent(endpoint)
    const error = { description: 'An error. Errors are never charged.', content }
    const names = [
      'PAYMENT-REQUIRED',
      'PAYMENT-RESPONSE',
      ...(isPaidByMpp(endpoint) ? (['WWW-Authenticate'] as const) : []),
    ] as const
    const headers = Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
    const description = 'Payment is required, or the payment was refused.'
    return [
      [errorResponseOf(endpoint), error],
      ...(endpoint.pricing.kind === 'free'
        ? []
        : ([[paymentResponseOf(endpoint), { description, content, headers }]] as [string, Json][])),
    ]
  })
  return Object.fromEntries(shared)
}

function errorResponseOf({ dialect }: Endpoint): string {
  return dialect === undefined || dialect === 'problem' ? 'Error' : `${dialect}Error`
}

function paymentResponseOf(endpoint: Endpoint): string {
  return `${errorResponseOf(endpoint)}402${isPaidByMpp(endpoint) ? '' : 'Metered'}`
}

function toResponseRef(name: string): string {
  return `#/components/responses/${name}`
}

function header(description: string): Json {
  return { description, schema: { type: 'string' } }
}

const TYPES = {
  json: ['application/json'],
  multipart: ['multipart/form-data'],
  either: ['application/json', 'multipart/form-data'],
} as const
/** A read that a document can be sent to; OpenAPI gives GET no body. */
const SENT = ' POST takes the same fields as JSON, or as multipart/form-data with `file`.'

/** A payment of MPP (draft-payment-discovery-00, section 4). */
const CHARGE = { method: 'evm', intent: 'charge' } as const

/** The service as agents find it (draft-payment-discovery-00, section 5). */
function buildServiceInfo({ name, baseUrl }: Service): Json {
  const docs = {
    homepage: `${baseUrl}/`,
    apiReference: `${baseUrl}/openapi.json`,
    llms: `${baseUrl}/llms.txt`,
  }
  return { categories: [name], docs }
}

const PAID_HEADERS = {
  'PAYMENT-REQUIRED': header('The payment requirements, base64 of JSON (x402 v2).'),
  'WWW-Authenticate': header('The challenge of MPP, scheme Payment.'),
  'PAYMENT-RESPONSE': header(
    'The settlement, also with paid answers, base64 of JSON (x402 v2); X-PAYMENT-RESPONSE for version 1, Payment-Receipt for MPP. Tollbook-Receipt has the id at /v1/receipts/{id}.',
  ),
}

const VALIDATORS = {
  ETag: header('Send it as If-None-Match.'),
  'Last-Modified': header('Send it as If-Modified-Since.'),
}
const NOT_MODIFIED = { description: 'The client’s copy is current.' }

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'Identifies the call, like a payment-identifier: a repeated one gets the same answer and is not charged.',
  schema: { type: 'string' },
} as const
