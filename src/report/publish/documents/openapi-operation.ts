import { BADGE_METRICS, BADGE_STYLES } from '../merchant/badge.ts'
import { DIRECTIONS, SORTS } from '../ranking/ranking-order.ts'

/** The query and path parameters, by the name under which paths reference them. */
export const PARAMETERS = {
  address: {
    name: 'address',
    in: 'path',
    required: true,
    description: 'Wallet address of the merchant, in any case.',
    schema: { type: 'string', pattern: '^0[xX][0-9a-fA-F]{40}$' },
  },
  week: {
    name: 'week',
    in: 'query',
    description: 'Last day of a published week. Default: the newest window.',
    schema: { type: 'string', format: 'date' },
  },
  revision: {
    name: 'revision',
    in: 'query',
    description: 'A revision of the week, starting at 1. Default: the newest.',
    schema: { type: 'integer', minimum: 1 },
  },
  weekOfPath: {
    name: 'week',
    in: 'path',
    required: true,
    description: 'Last day of a published week.',
    schema: { type: 'string', format: 'date' },
  },
  sort: {
    name: 'sort',
    in: 'query',
    description: 'Sort key. Default: `real_usd`, or `relevance` if `q` is set.',
    schema: { type: 'string', enum: SORTS },
  },
  order: {
    name: 'order',
    in: 'query',
    description: 'Sort direction. Default: `asc` for `name`, `desc` (highest first) for every other key.',
    schema: { type: 'string', enum: DIRECTIONS },
  },
  limit: {
    name: 'limit',
    in: 'query',
    schema: { type: 'integer', minimum: 1, maximum: 1000, default: 100 },
  },
  cursor: {
    name: 'cursor',
    in: 'query',
    description: '`next_cursor` of the previous page, with the same `sort` and `order`.',
    schema: { type: 'string' },
  },
  q: {
    name: 'q',
    in: 'query',
    required: true,
    description: 'Search words. Every word must occur in the name, address or listings of a merchant.',
    schema: { type: 'string', maxLength: 200 },
  },
  metric: {
    name: 'metric',
    in: 'query',
    description: 'The figure that the badge shows.',
    schema: { type: 'string', enum: BADGE_METRICS, default: 'real_usd' },
  },
  style: {
    name: 'style',
    in: 'query',
    description: 'The style of the badge.',
    schema: { type: 'string', enum: BADGE_STYLES, default: 'flat' },
  },
} as const

export type ReadOperation = {
  readonly id: string
  readonly summary: string
  readonly parameters?: readonly (keyof typeof PARAMETERS)[]
  readonly answer: readonly [contentType: string, schema: unknown]
}

/** The response of every error. */
export const PROBLEM = {
  description: 'A problem document (RFC 9457).',
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
} as const

const VALIDATORS = {
  ETag: { schema: { type: 'string' }, description: 'Send it as If-None-Match.' },
  'Last-Modified': { schema: { type: 'string' }, description: 'Send it as If-Modified-Since.' },
} as const

/** A read-only operation: free, cacheable, with a validator. */
export function describeRead({ id, summary, parameters = [], answer: [contentType, schema] }: ReadOperation) {
  return {
    get: {
      operationId: id,
      summary,
      security: [],
      parameters: parameters.map((name) => ({ $ref: `#/components/parameters/${name}` })),
      responses: {
        200: { description: summary, headers: VALIDATORS, content: { [contentType]: { schema } } },
        304: { description: 'The client’s copy is current.' },
        default: PROBLEM,
      },
    },
  }
}

/** A response whose schema is one of the components. */
export function jsonOf(schema: string): readonly [string, unknown] {
  return ['application/json', { $ref: `#/components/schemas/${schema}` }]
}
