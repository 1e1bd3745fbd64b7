import * as z from 'zod'
import { toUtcDate } from '../build/compose-report.ts'
import { type Immutable, utcTime } from '../build/merchant-report.ts'

const count = z.int().min(0)
const dollars = z.number().min(0)

/** Payments and their dollars, with two decimals: reported, and passing every screen. */
export const sumFields = { tx: count, usd: dollars, real_tx: count, real_usd: dollars } as const
export type Sums = Immutable<z.output<z.ZodObject<typeof sumFields>>>

const window = {
  merchants: count,
  ...sumFields,
  buyers: count.nullable().describe('Distinct wallets; null for weeks published before they were counted.'),
  real_buyers: count.nullable(),
  // Those outside the list have their address as name; addresses are ascending.
  facilitators: z
    .array(z.object({ name: z.string(), addresses: z.array(z.string()), ...sumFields }))
    .describe('By who sent the settlement; most payments first.'),
}
export const overviewShape = z.object({
  newest: z.object({ start: utcTime, end: utcTime, complete: z.boolean(), ...window }).nullable(),
  weeks: z
    .array(z.object({ week: z.iso.date(), revision: z.int().min(1), ...window }))
    .describe('Published weeks, oldest first, at most 104.'),
  days: z
    .array(z.object({ date: z.iso.date(), ...sumFields }))
    .describe('UTC dates, oldest first, at most 60.'),
})

/** All merchants together. */
export type Overview = Immutable<z.output<typeof overviewShape>>
export type OverviewWindow = Immutable<z.output<z.ZodObject<typeof window>>>

/** The six dates that belong to one week alone, ascending. @param week its last date */
export function listInnerDates(week: string): readonly string[] {
  const end = Date.parse(week) / 1000
  return [6, 5, 4, 3, 2, 1].map((days) => toUtcDate(end - days * 86_400))
}
