import * as z from 'zod'
import { HEALTH_STATES } from '../listings/health.ts'
import { WINDOW_DAYS } from './window.ts'

const day = z.iso.date()
/** As `toUtcText` writes it. */
export const utcTime = z.string().regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\+00:00$/)
const url = z.string().meta({ format: 'uri' })
const text = z.string().min(1)
const count = z.int().min(0)
/** In cents. Validators divide in floats, where `multipleOf: 0.01` fails for real sums. */
const cents = z.number().min(0).describe('US dollars with two decimals.')
const exact = z.number().min(0).describe('US dollars, exact, up to six decimals.')
const flag = z.strictObject({ tx: count, usd: cents })

/** What unpaid requests to a listed endpoint showed, and since when. */
export const health = z.strictObject({ state: z.enum(HEALTH_STATES), since: utcTime })
const sums = { tx: count, usd: cents, real_tx: count, real_usd: cents }

/** What counts under each screen. */
export const flags = z.record(z.string().regex(/^[a-z][a-z0-9_]*$/), flag)

/** The merchant report, field for field as in section 2.1 of the specification. Dollars are JSON numbers. */
export const reportShape = z
  .strictObject({
    schema_version: z.literal('1'),
    generated_at: utcTime,
    license: url,
    chain: z.literal('base'),
    address: z.string().regex(/^0x[0-9a-f]{40}$/),
    name: text,
    claimed: z.boolean(),
    frozen: z.boolean(),
    last_seen_week: day,
    rank_by_real_revenue: z.int().min(1).nullable(),
    window: z.strictObject({
      start_block: z.int(),
      end_block: z.int(),
      complete: z.boolean(),
      start: utcTime,
      end: utcTime,
      days: z.literal([...WINDOW_DAYS]).describe('7 unless another window was requested.'),
    }),
    claim: text,
    tx: count,
    usd: cents,
    real_tx: count,
    real_usd: cents,
    buyers: count,
    real_buyers: count,
    top_buyer_share: z.number().min(0).max(1),
    // Absent from reports before version 3 of the method.
    effective_buyers: z.number().min(0).optional(),
    // Absent if the seven days before were not read, and before version 3 of the method.
    returning_buyers: count.optional(),
    // Absent without fees.
    fees_usd: cents.optional(),
    flags,
    flag_note: text,
    exchange_flow_note: z.string().nullable().optional(),
    paid: z.strictObject({ median: exact, p25: exact, p75: exact, median_passing: exact }),
    bazaar_listings: z.array(
      z.strictObject({
        resource: url,
        price_usd: exact,
        description: z.string().max(240),
        health: health.optional(),
      }),
    ),
    // Absent without a claim that states it.
    stated_max_price_usd: exact.optional(),
    // Absent unless only one endpoint has a listed fixed price, and before version 3 of the method.
    inferred_revenue: z
      .strictObject({
        endpoints: z.array(z.strictObject({ resource: url, price_usd: exact, ...sums })).max(1000),
        unattributed: z.strictObject(sums),
      })
      .optional()
      .describe(
        'Inferred, not recorded on the chain: payments of exactly a fixed price that only one listed endpoint has. ' +
          'With unattributed, each column adds up to the total.',
      ),
    daily: z.array(z.strictObject({ date: day, tx: count, usd: cents, real_usd: cents })).max(31),
    page: url,
    badge: url,
  })
  .meta({
    title: 'Merchant payment report',
    description:
      'What one wallet received over x402 in a window of 1, 7, 14 or 30 days: reported totals, and the totals that pass every screen.',
  })

/** The report of a merchant with several wallets. */
export const groupReportShape = reportShape
  .extend({
    address: z.string().regex(/^host:\S+$/),
    wallets: z.array(z.string().regex(/^0x[0-9a-f]{40}$/)).describe('Ascending.'),
  })
  .meta({
    title: 'Merchant group payment report',
    description:
      'What the wallets of one merchant group received over x402 in seven days, screened and ranked as one. ' +
      'Listings and claims prove that they belong to it.',
  })

export type GroupReport = Immutable<z.output<typeof groupReportShape>>
export type MerchantReport = Immutable<z.output<typeof reportShape>>
export type ReportWindow = MerchantReport['window']
export type FlagRecord = MerchantReport['flags'][string]
export type PaidAmounts = MerchantReport['paid']
export type ListingRecord = MerchantReport['bazaar_listings'][number]
export type InferredRevenue = NonNullable<MerchantReport['inferred_revenue']>
export type DailyRecord = MerchantReport['daily'][number]

/** The same, read-only at every level. */
export type Immutable<Value> = Value extends object
  ? { readonly [Key in keyof Value]: Immutable<Value[Key]> }
  : Value
