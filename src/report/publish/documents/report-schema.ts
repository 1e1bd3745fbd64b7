const ADDRESS = '^0x[0-9a-f]{40}$'
const DATE = { type: 'string', format: 'date' } as const
const TIME = {
  type: 'string',
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\+00:00$',
} as const
const COUNT = { type: 'integer', minimum: 0 } as const
/**
 * Whole cents. ajv and others divide in floats, where `multipleOf: 0.01` fails for real sums, so the
 * description states it.
 */
const CENTS = { type: 'number', minimum: 0, description: 'US dollars with two decimals.' } as const
const EXACT = { type: 'number', minimum: 0, description: 'US dollars, exact, up to six decimals.' } as const

/** The JSON Schema (2020-12) of a merchant report; `id` is where it is served. */
export function buildReportSchema(id: string) {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: id,
    title: 'Merchant payment report',
    description:
      'What one wallet received over x402 in seven days: reported totals, and the totals that pass every screen.',
    ...record(
      {
        schema_version: { const: '1' },
        generated_at: TIME,
        license: { type: 'string', format: 'uri' },
        chain: { enum: ['base'] },
        address: { type: 'string', pattern: ADDRESS },
        name: { type: 'string', minLength: 1 },
        claimed: { type: 'boolean' },
        frozen: { type: 'boolean' },
        last_seen_week: DATE,
        rank_by_real_revenue: { type: ['integer', 'null'], minimum: 1 },
        window: record({
          start_block: { type: 'integer' },
          end_block: { type: 'integer' },
          complete: { type: 'boolean' },
          start: TIME,
          end: TIME,
          days: { const: 7 },
        }),
        claim: { type: 'string', minLength: 1 },
        tx: COUNT,
        usd: CENTS,
        real_tx: COUNT,
        real_usd: CENTS,
        buyers: COUNT,
        real_buyers: COUNT,
        top_buyer_share: { type: 'number', minimum: 0, maximum: 1 },
        flags: {
          type: 'object',
          propertyNames: { pattern: '^[a-z][a-z0-9_]*$' },
          additionalProperties: record({ tx: COUNT, usd: CENTS }),
        },
        flag_note: { type: 'string', minLength: 1 },
        paid: record({ median: EXACT, p25: EXACT, p75: EXACT, median_passing: EXACT }),
        bazaar_listings: {
          type: 'array',
          items: record({
            resource: { type: 'string', format: 'uri' },
            price_usd: EXACT,
            description: { type: 'string', maxLength: 240 },
          }),
        },
        daily: {
          type: 'array',
          maxItems: 8,
          items: record({ date: DATE, tx: COUNT, usd: CENTS, real_usd: CENTS }),
        },
        page: { type: 'string', format: 'uri' },
        badge: { type: 'string', format: 'uri' },
      },
      { exchange_flow_note: { type: ['string', 'null'] } },
    ),
  }
}

/** An object that has all `required` properties, may have the `optional` ones, and has no others. */
function record(
  required: Readonly<Record<string, unknown>>,
  optional: Readonly<Record<string, unknown>> = {},
) {
  return {
    type: 'object',
    properties: { ...required, ...optional },
    required: Object.keys(required),
    additionalProperties: false,
  }
}
