import { CLAIM_PATHS, CLAIM_POSTS, CLAIM_SCHEMAS } from '../claims/claim-paths.ts'
import { describeRead, jsonOf, PARAMETERS } from './openapi-operation.ts'
import { SCHEMAS } from './openapi-schemas.ts'
import { WEEK_PATHS, WEEK_SCHEMAS } from './openapi-weeks.ts'
import { buildReportSchema } from './report-schema.ts'

const PAGE = ['text/html', { type: 'string' }] as const
const CSV = ['text/csv', { type: 'string' }] as const
const FEED = ['application/atom+xml', { type: 'string' }] as const

/** The OpenAPI 3.1 document of the report service. */
export function buildReportOpenApi(baseUrl: string, version: string) {
  // The enclosing document declares the dialect and the identifier of the stand-alone schema.
  const { $schema: _dialect, $id: _id, ...report } = buildReportSchema('')
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tollbook reports',
      version,
      description:
        'x402 revenue of merchants on Base: reported totals, and the totals that pass every screen. Free.',
      license: { name: 'CC BY 4.0 (figures)', url: 'https://creativecommons.org/licenses/by/4.0/' },
    },
    servers: [{ url: baseUrl }],
    paths: {
      ...MERCHANT_PATHS,
      ...CLAIM_PATHS,
      ...RANKING_PATHS,
      ...WEEK_PATHS,
      ...DOCUMENT_PATHS,
      ...CLAIM_POSTS,
    },
    components: {
      parameters: PARAMETERS,
      schemas: { MerchantReport: report, ...SCHEMAS, ...WEEK_SCHEMAS, ...CLAIM_SCHEMAS },
    },
  }
}

const MERCHANT_PATHS = {
  '/merchants/base/{address}.json': describeRead({
    id: 'getReport',
    summary: 'The report of a merchant',
    parameters: ['address', 'week', 'revision'],
    answer: jsonOf('MerchantReport'),
  }),
  '/merchants/base/{address}': describeRead({
    id: 'getMerchantPage',
    summary: 'The same report as an HTML page',
    parameters: ['address', 'week', 'revision'],
    answer: PAGE,
  }),
  '/merchants/base/{address}/badge.svg': describeRead({
    id: 'getBadge',
    summary: 'One figure of the report as a badge to embed',
    parameters: ['address', 'week', 'revision', 'metric', 'style'],
    answer: ['image/svg+xml', { type: 'string' }],
  }),
  '/merchants/base/{address}/badge.json': describeRead({
    id: 'getBadgeText',
    summary: 'The text of the badge, for shields.io',
    parameters: ['address', 'week', 'revision', 'metric'],
    answer: jsonOf('ShieldsBadge'),
  }),
  '/merchants/base/{address}/payments.csv': describeRead({
    id: 'getPaymentsCsv',
    summary: 'Every payment of the window with its verdict and flag, as CSV',
    parameters: ['address', 'week', 'revision'],
    answer: CSV,
  }),
  '/merchants/base/{address}/payments.ndjson': describeRead({
    id: 'getPayments',
    summary: 'Every payment of the window with its verdict and flag, as NDJSON',
    parameters: ['address', 'week', 'revision'],
    answer: ['application/x-ndjson', { $ref: '#/components/schemas/Payment' }],
  }),
  '/merchants/base/{address}/feed.atom': describeRead({
    id: 'getMerchantFeed',
    summary: 'The published weeks of a merchant as an Atom feed',
    parameters: ['address'],
    answer: FEED,
  }),
}

const RANKING_PATHS = {
  '/': describeRead({
    id: 'getRankingPage',
    summary: 'The ranking as an HTML page',
    parameters: ['week', 'revision', 'sort', 'order', 'cursor'],
    answer: PAGE,
  }),
  '/merchants.json': describeRead({
    id: 'listMerchants',
    summary: 'The ranking',
    parameters: ['week', 'revision', 'sort', 'order', 'limit', 'cursor'],
    answer: jsonOf('Ranking'),
  }),
  '/merchants.csv': describeRead({
    id: 'listMerchantsCsv',
    summary: 'The whole ranking as CSV',
    parameters: ['week', 'revision', 'sort', 'order'],
    answer: CSV,
  }),
  '/search': describeRead({
    id: 'searchMerchants',
    summary: 'Merchants by name, address or endpoint; HTML if the client accepts it',
    parameters: ['q', 'week', 'revision', 'sort', 'order', 'limit', 'cursor'],
    answer: jsonOf('Ranking'),
  }),
  '/feed.atom': describeRead({
    id: 'getFeed',
    summary: 'Published weeks and corrections as an Atom feed',
    answer: FEED,
  }),
}

const DOCUMENT_PATHS = {
  '/methodology': describeRead({
    id: 'getMethodPage',
    summary: 'How payments are counted and screened, as an HTML page',
    answer: PAGE,
  }),
  '/method.json': describeRead({
    id: 'getMethod',
    summary: 'The rule that defines a payment, every screen with its thresholds, and each figure',
    answer: jsonOf('Method'),
  }),
  '/schema/merchant-report-1.json': describeRead({
    id: 'getReportSchema',
    summary: 'The JSON Schema of a report',
    answer: ['application/schema+json', { type: 'object' }],
  }),
  '/problems': describeRead({
    id: 'getProblems',
    summary: 'What each problem code means',
    answer: PAGE,
  }),
  '/openapi.json': describeRead({
    id: 'getOpenApi',
    summary: 'This document',
    answer: ['application/json', { type: 'object' }],
  }),
  '/.well-known/x402': describeRead({
    id: 'getPaidResources',
    summary: 'What this service sells: nothing',
    answer: ['application/json', { type: 'object' }],
  }),
  '/discovery/resources': describeRead({
    id: 'listPaidResources',
    summary: 'The same as an x402 discovery list, which is empty',
    answer: ['application/json', { type: 'object' }],
  }),
  '/llms.txt': describeRead({
    id: 'getLlmsText',
    summary: 'An overview of this service for language models',
    answer: ['text/plain', { type: 'string' }],
  }),
}
