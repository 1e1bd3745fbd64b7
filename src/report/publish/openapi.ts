import { SORTS } from './ranking.ts'
import { buildReportSchema } from './report-schema.ts'

const PROBLEM = {
  description: 'A problem document (RFC 9457).',
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
} as const
const ADDRESS = {
  name: 'address',
  in: 'path',
  required: true,
  description: 'Wallet of the merchant; any case.',
  schema: { type: 'string', pattern: '^0[xX][0-9a-fA-F]{40}$' },
} as const
const WEEK = {
  name: 'week',
  in: 'query',
  description: 'Last day of a published week. Without it: the newest window.',
  schema: { type: 'string', format: 'date' },
} as const
const SORT = {
  name: 'sort',
  in: 'query',
  description: 'Figure by which merchants are ordered, most first.',
  schema: { type: 'string', enum: Object.keys(SORTS), default: 'real_usd' },
} as const
const LIMIT = {
  name: 'limit',
  in: 'query',
  schema: { type: 'integer', minimum: 1, maximum: 1000, default: 100 },
} as const
const CURSOR = {
  name: 'cursor',
  in: 'query',
  description: '`next_cursor` of the page before.',
  schema: { type: 'string' },
} as const
const SEARCH = {
  name: 'q',
  in: 'query',
  required: true,
  description: 'Words that must all stand in name, address or listings.',
  schema: { type: 'string', maxLength: 200 },
} as const

/** The OpenAPI 3.1 document of the report service. */
export function buildReportOpenApi(baseUrl: string, version: string) {
  // The dialect and the identifier of the stand-alone schema are told once, by the document around it.
  const { $schema: _dialect, $id: _id, ...report } = buildReportSchema('')
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tollbook reports',
      version,
      description:
        'What merchants on Base are paid over x402, as reported and as it passes every screen. Free.',
      license: { name: 'CC BY 4.0 (figures)', url: 'https://creativecommons.org/licenses/by/4.0/' },
    },
    servers: [{ url: baseUrl }],
    paths: {
      '/merchants/base/{address}.json': read({
        id: 'getReport',
        summary: 'The report of a merchant',
        parameters: [ADDRESS, WEEK],
        answer: ['application/json', { $ref: '#/components/schemas/MerchantReport' }],
      }),
      '/merchants/base/{address}': read({
        id: 'getMerchantPage',
        summary: 'The same report as a page for people',
        parameters: [ADDRESS, WEEK],
        answer: ['text/html', { type: 'string' }],
      }),
      '/merchants/base/{address}/badge.svg': read({
        id: 'getBadge',
        summary: 'The real revenue as a badge to embed',
        parameters: [ADDRESS, WEEK],
        answer: ['image/svg+xml', { type: 'string' }],
      }),
      '/merchants/base/{address}/payments.csv': read({
        id: 'getPaymentsCsv',
        summary: 'Every payment of the window with verdict and flag, as CSV',
        parameters: [ADDRESS, WEEK],
        answer: ['text/csv', { type: 'string' }],
      }),
      '/merchants/base/{address}/payments.ndjson': read({
        id: 'getPayments',
        summary: 'Every payment of the window with verdict and flag, one JSON object a line',
        parameters: [ADDRESS, WEEK],
        answer: ['application/x-ndjson', { $ref: '#/components/schemas/Payment' }],
      }),
      '/merchants.json': read({
        id: 'listMerchants',
        summary: 'The ranking',
        parameters: [WEEK, SORT, LIMIT, CURSOR],
        answer: ['application/json', { $ref: '#/components/schemas/Ranking' }],
      }),
      '/merchants.csv': read({
        id: 'listMerchantsCsv',
        summary: 'The whole ranking as CSV',
        parameters: [WEEK, SORT],
        answer: ['text/csv', { type: 'string' }],
      }),
      '/search': read({
        id: 'searchMerchants',
        summary: 'Merchants by name, address or endpoint',
        parameters: [SEARCH, WEEK, SORT, LIMIT, CURSOR],
        answer: ['application/json', { $ref: '#/components/schemas/Ranking' }],
      }),
      '/method.json': read({
        id: 'getMethod',
        summary: 'The rule of a payment, every screen with its thresholds, each figure',
        parameters: [],
        answer: ['application/json', { $ref: '#/components/schemas/Method' }],
      }),
      '/schema/merchant-report-1.json': read({
        id: 'getReportSchema',
        summary: 'The JSON Schema of a report',
        parameters: [],
        answer: ['application/schema+json', { type: 'object' }],
      }),
    },
    components: { schemas: { MerchantReport: report, ...SCHEMAS } },
  }
}

type Read = {
  readonly id: string
  readonly summary: string
  readonly parameters: readonly unknown[]
  readonly answer: readonly [contentType: string, schema: unknown]
}

function read({ id, summary, parameters, answer: [contentType, schema] }: Read) {
  return {
    get: {
      operationId: id,
      summary,
      security: [],
      parameters,
      responses: {
        200: { description: summary, content: { [contentType]: { schema } } },
        304: { description: 'The copy that the request names is current.' },
        default: PROBLEM,
      },
    },
  }
}

const COUNT = { type: 'integer', minimum: 0 } as const
const DOLLARS = { type: 'number', minimum: 0 } as const
const FLAGS = {
  type: 'object',
  additionalProperties: { type: 'object', properties: { tx: COUNT, usd: DOLLARS }, required: ['tx', 'usd'] },
} as const

const SCHEMAS = {
  Ranking: {
    type: 'object',
    required: ['week', 'merchants', 'next_cursor'],
    properties: {
      week: {
        type: ['string', 'null'],
        format: 'date',
        description: 'Last day of the window; null before the first.',
      },
      merchants: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            rank: { type: ['integer', 'null'] },
            address: { type: 'string' },
            name: { type: 'string' },
            tx: COUNT,
            usd: DOLLARS,
            real_tx: COUNT,
            real_usd: DOLLARS,
            buyers: COUNT,
            real_buyers: COUNT,
            flags: FLAGS,
          },
        },
      },
      next_cursor: { type: ['string', 'null'] },
    },
  },
  Payment: {
    type: 'object',
    properties: {
      block: { type: 'integer' },
      log_index: COUNT,
      time: { type: 'string', format: 'date-time' },
      transaction: { type: 'string' },
      buyer: { type: 'string' },
      amount_usd: { ...DOLLARS, description: 'Exact, up to six decimals.' },
      verdict: { enum: ['passes', 'flagged'] },
      flag: { type: ['string', 'null'], description: 'The kind of flag under which the payment counts.' },
    },
  },
  Method: {
    type: 'object',
    properties: {
      version: { type: 'string' },
      screens: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            kind: { type: 'string' },
            version: { type: 'integer' },
            title: { type: 'string' },
            rule: { type: 'string' },
            thresholds: { type: 'object', additionalProperties: { type: 'number' } },
            innocent_causes: { type: 'array', items: { type: 'string' } },
          },
        },
      },
      definitions: {
        type: 'array',
        items: { type: 'object', properties: { term: { type: 'string' }, text: { type: 'string' } } },
      },
    },
  },
  Problem: {
    type: 'object',
    required: ['type', 'title', 'status', 'detail', 'code'],
    properties: {
      type: { type: 'string' },
      title: { type: 'string' },
      status: { type: 'integer' },
      detail: { type: 'string' },
      code: { type: 'string' },
      request_id: { type: 'string' },
      faults: { type: 'array', items: { type: 'object' } },
    },
  },
} as const
