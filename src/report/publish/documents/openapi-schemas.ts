export const COUNT = { type: 'integer', minimum: 0 } as const
export const DOLLARS = { type: 'number', minimum: 0 } as const
export const FLAGS = {
  type: 'object',
  additionalProperties: { type: 'object', properties: { tx: COUNT, usd: DOLLARS }, required: ['tx', 'usd'] },
} as const

/** The response schemas of the report service, except the report itself. */
export const SCHEMAS = {
  Ranking: {
    type: 'object',
    additionalProperties: false,
    required: ['week', 'merchants', 'next_cursor'],
    properties: {
      week: {
        type: ['string', 'null'],
        format: 'date',
        description: 'Last day of the window; null before the first publication.',
      },
      merchants: {
        type: 'array',
        items: {
          type: 'object',
          additionalProperties: false,
          required: [
            'rank',
            'address',
            'name',
            'name_confirmed',
            'tx',
            'usd',
            'real_tx',
            'real_usd',
            'buyers',
            'real_buyers',
            'flags',
          ],
          properties: {
            rank: { type: ['integer', 'null'] },
            address: { type: 'string' },
            name: { type: 'string' },
            name_confirmed: {
              type: 'boolean',
              description: 'False for an address, and for a name that only one catalogue lists.',
            },
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
  ShieldsBadge: {
    type: 'object',
    additionalProperties: false,
    description: 'In the format of the shields.io endpoint badge.',
    required: ['schemaVersion', 'label', 'message', 'color', 'cacheSeconds'],
    properties: {
      schemaVersion: { const: 1 },
      label: { type: 'string' },
      message: { type: 'string' },
      color: { type: 'string' },
      cacheSeconds: { type: 'integer' },
    },
  },
  Payment: {
    type: 'object',
    additionalProperties: false,
    required: ['block', 'log_index', 'time', 'transaction', 'buyer', 'amount_usd', 'verdict', 'flag'],
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
    required: ['version', 'screens', 'definitions'],
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
