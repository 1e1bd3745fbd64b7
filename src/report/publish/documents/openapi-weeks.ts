import * as z from 'zod'
import { reportInputsShape, weekInputsShape } from '../editions/inputs.ts'
import { describeRead, jsonOf } from './openapi-operation.ts'
import { COUNT, DOLLARS, FLAGS } from './openapi-schemas.ts'

/** The OpenAPI paths for published weeks and for the inputs of reports. */
export const WEEK_PATHS = {
  '/weeks.json': describeRead({
    id: 'listWeeks',
    summary: 'The published weeks, newest first',
    answer: jsonOf('Weeks'),
  }),
  '/weeks/{week}.json': describeRead({
    id: 'getWeek',
    summary: 'A published week with all its revisions',
    parameters: ['weekOfPath'],
    answer: jsonOf('Week'),
  }),
  '/weeks/{week}/inputs.json': describeRead({
    id: 'getWeekInputs',
    summary: 'The inputs of a week: chain, method, facilitators, listed payees',
    parameters: ['weekOfPath', 'revision'],
    answer: jsonOf('WeekInputs'),
  }),
  '/merchants/base/{address}/weeks.json': describeRead({
    id: 'listWeeksOfMerchant',
    summary: 'The published weeks of a merchant, newest first',
    parameters: ['address'],
    answer: jsonOf('MerchantWeeks'),
  }),
  '/merchants/base/{address}/inputs.json': describeRead({
    id: 'getReportInputs',
    summary: 'The inputs of a report, from which anyone can recompute it from the chain',
    parameters: ['address', 'week', 'revision'],
    answer: jsonOf('ReportInputs'),
  }),
}

const DATE = { type: 'string', format: 'date' } as const
const TIME = { type: 'string', format: 'date-time' } as const
const URI = { type: 'string', format: 'uri' } as const
const REVISION = { type: 'integer', minimum: 1 } as const

/** The response schemas of these paths. */
export const WEEK_SCHEMAS = {
  Weeks: record({ weeks: { type: 'array', items: record({ week: DATE, url: URI }) } }),
  Week: record({
    week: DATE,
    window: record({
      start_block: { type: 'integer' },
      end_block: COUNT,
      complete: { type: 'boolean' },
      start: TIME,
      end: TIME,
    }),
    newest_revision: REVISION,
    revisions: {
      type: 'array',
      items: record({
        revision: REVISION,
        reason: { type: ['string', 'null'], description: 'The reason for the revision; null for the first.' },
        published_at: TIME,
        method: { type: 'string' },
        merchants: COUNT,
        tx: COUNT,
        usd: DOLLARS,
        real_tx: COUNT,
        real_usd: DOLLARS,
        ranking: URI,
        inputs: URI,
      }),
    },
  }),
  MerchantWeeks: record({
    address: { type: 'string' },
    page: URI,
    weeks: {
      type: 'array',
      items: record({
        week: DATE,
        revision: REVISION,
        tx: COUNT,
        usd: DOLLARS,
        real_tx: COUNT,
        real_usd: DOLLARS,
        buyers: COUNT,
        real_buyers: COUNT,
        flags: FLAGS,
        rank_by_real_revenue: { type: ['integer', 'null'] },
        report: URI,
        inputs: URI,
      }),
    },
  }),
  ReportInputs: toComponent(reportInputsShape),
  WeekInputs: toComponent(weekInputsShape),
}

/** An object with exactly these properties, all required. */
function record(properties: Readonly<Record<string, unknown>>) {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false }
}

/** The enclosing document declares the dialect. */
function toComponent(shape: z.ZodType) {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(shape)
  return schema
}
