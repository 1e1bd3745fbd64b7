import { PROBLEMS } from '@tollbook/http/problem'
import type { Endpoint } from '../endpoint.ts'

type Json = Record<string, unknown>
type Dialect = NonNullable<Endpoint['dialect']>

/** The name of a dialect's error body in `components`. */
const SCHEMA_NAMES: Readonly<Record<Dialect, string>> = {
  problem: 'Problem',
  chat: 'ChatError',
  messages: 'MessagesError',
}

/** The body of an endpoint's errors, in the media type and schema of its dialect. */
export function buildErrorContent({ dialect = 'problem' }: Pick<Endpoint, 'dialect'>): Json {
  const type = dialect === 'problem' ? 'application/problem+json' : 'application/json'
  return { [type]: { schema: { $ref: toRef(SCHEMA_NAMES[dialect]) } } }
}

export function buildErrorSchemas(endpoints: readonly Endpoint[]): Json {
  const used = new Set<Dialect>(['problem', ...endpoints.map(({ dialect = 'problem' }) => dialect)])
  return Object.fromEntries([...used].map((dialect) => [SCHEMA_NAMES[dialect], SCHEMAS[dialect]]))
}

function toRef(name: string): string {
  return `#/components/schemas/${name}`
}

const PROBLEM_SCHEMA = {
  type: 'object',
  description: 'RFC 9457 problem details.',
  required: ['type', 'title', 'status', 'detail', 'code'],
  properties: {
    type: { type: 'string', format: 'uri-reference', description: 'The page that explains the code.' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    code: { type: 'string', enum: Object.keys(PROBLEMS) },
    request_id: { type: 'string' },
    issues: {
      type: 'array',
      items: {
        type: 'object',
        required: ['parameter', 'detail'],
        properties: {
          parameter: { type: 'string' },
          detail: { type: 'string' },
          code: { type: 'string', enum: Object.keys(PROBLEMS) },
          details: { type: 'object', description: 'For programs: what a client can do without.' },
        },
      },
    },
    faults: { type: 'array', deprecated: true, description: 'The issues; removed in 2.0.' },
  },
}

const CHAT_ERROR_SCHEMA = {
  type: 'object',
  description: 'The error envelope of the chat dialect, plus the problem.',
  required: ['error', 'problem'],
  properties: {
    error: {
      type: 'object',
      required: ['message', 'type', 'param', 'code'],
      properties: {
        message: { type: 'string' },
        type: { type: 'string' },
        param: { type: ['string', 'null'], description: 'The first invalid parameter.' },
        code: { type: 'string', enum: Object.keys(PROBLEMS) },
      },
    },
    problem: { $ref: toRef('Problem') },
  },
}

const MESSAGES_ERROR_SCHEMA = {
  type: 'object',
  description: 'The error envelope of the messages dialect, plus the problem.',
  required: ['type', 'error', 'request_id', 'problem'],
  properties: {
    type: { const: 'error' },
    error: {
      type: 'object',
      required: ['type', 'message'],
      properties: {
        type: { type: 'string' },
        message: { type: 'string' },
        details: { type: 'object', description: 'For programs: what a client can do without.' },
      },
    },
    request_id: { type: ['string', 'null'] },
    problem: { $ref: toRef('Problem') },
  },
}

const SCHEMAS: Readonly<Record<Dialect, Json>> = {
  problem: PROBLEM_SCHEMA,
  chat: CHAT_ERROR_SCHEMA,
  messages: MESSAGES_ERROR_SCHEMA,
}
