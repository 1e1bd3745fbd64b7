import { BADGE_METRICS, BADGE_STYLES } from '../merchant/badge.ts'
import { DIRECTIONS, SORTS } from '../ranking/ranking-order.ts'

/** The parameters of the query and the path, by the name under which paths refer to them. */
export const PARAMETERS = {
  address: {
    name: 'address',
    in: 'path',
    required: true,
    description: 'Wallet of the merchant; any case.',
    schema: { type: 'string', pattern: '^0[xX][0-9a-fA-F]{40}$' },
  },
  week: {
    name: 'week',
    in: 'query',
    description: 'Last day of a published week. Without it: the newest window.',
    schema: { type: 'string', format: 'date' },
  },
  revision: {
    name: 'revision',
    in: 'query',
    description: 'A revision of the week, from 1. Without it: the newest.',
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
    description:
      'By what merchants are ordered; default `real_usd`, and `relevance` where something is searched for.',
    schema: { type: 'string', enum: SORTS },
  },
  order: {
    name: 'order',
    in: 'query',
    description: 'Which way; default `asc` for `name` and `desc` for all else, so that the most comes first.',
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
    description: '`next_cursor` of the page before, with the same `sort` and `order`.',
    schema: { type: 'string' },
  },
  q: {
    name: 'q',
    in: 'query',
    required: true,
    description: 'Words that must all stand in name, address or listings.',
    schema: { type: 'string', maxLength: 200 },
  },
  metric: {
    name: 'metric',
    in: 'query',
    description: 'The figure that the badge tells.',
    schema: { type: 'string', enum: BADGE_METRICS, default: 'real_usd' },
  },
  style: {
    name: 'style',
    in: 'query',
    description: 'How the badge is drawn.',
    schema: { type: 'string', enum: BADGE_STYLES, default: 'flat' },
  },
} as const

export type ReadOperation = {
  readonly id: string
  readonly summary: string
  readonly parameters?: readonly (keyof typeof PARAMETERS)[]
  readonly answer: readonly [contentType: string, schema: unknown]
}

/** The answer of every refusal. */
export const PROBLEM = {
  description: 'A problem document (RFC 9457).',
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
} as const

const VALIDATORS = {
  ETag: { schema: { type: 'string' }, description: 'Send it as If-None-Match.' },
  'Last-Modified': { schema: { type: 'string' }, description: 'Send it as If-Modified-Since.' },
} as const

/** An operation that only reads: free, cacheable, with a validator. */
export function describeRead({ id, summary, parameters = [], answer: [contentType, schema] }: ReadOperation) {
  return {
    get: {
      operationId: id,
      summary,
      security: [],
      parameters: parameters.map((name) => ({ $ref: `#/components/parameters/${name}` })),
      responses: {
        200: { description: summary, headers: VALIDATORS, content: { [contentType]: { schema } } },
        304: { description: 'The copy that the request names is current.' },
        default: PROBLEM,
      },
    },
  }
}

/** An answer whose schema stands among the components. */
export function jsonOf(schema: string): readonly [string, unknown] {
  return ['application/json', { $ref: `#/components/schemas/${schema}` }]
}
