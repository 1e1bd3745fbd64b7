import { toUsdNumber } from '@tollbook/chain/usdc'
import type { FieldSums } from '@tollbook/verify/build/figures'
import { flags, type Immutable } from '@tollbook/verify/build/merchant-report'
import { type Sums, sumFields } from '@tollbook/verify/published/overview'
import * as z from 'zod'
import type { StoredReport } from '../editions/stored-reports.ts'

const count = z.int().min(0)

/** The figures of a merchant in a ranking or a list of weeks. */
export const lineFields = {
  ...sumFields,
  buyers: count,
  real_buyers: count,
  // Null before version 3 of the method.
  effective_buyers: z.number().nullable(),
  // Null if the seven days before were not read, and before version 3 of the method.
  returning_buyers: count.nullable(),
  flags,
} as const
/** Whose figures they are. */
export const nameFields = {
  name: z.string(),
  name_confirmed: z.boolean().describe('False for an address, and for a name that only one catalogue lists.'),
} as const
const lineShape = z.object({ ...nameFields, ...lineFields })

/** A report's entry in a ranking or a list of weeks. */
export type MerchantLine = Immutable<z.output<typeof lineShape>>

/** The columns of `reports` that a line is made of. */
export const LINE_COLUMNS = [
  'name',
  'is_name_confirmed',
  'tx',
  'amount',
  'real_tx',
  'real_amount',
  'buyers',
  'real_buyers',
  'effective_buyers_hundredths',
  'returning_buyers',
  'flags',
] as const

export function toMerchantLine(row: Pick<StoredReport, (typeof LINE_COLUMNS)[number]>): MerchantLine {
  return {
    name: row.name,
    name_confirmed: row.is_name_confirmed === 1,
    ...toSums(row),
    buyers: row.buyers,
    real_buyers: row.real_buyers,
    effective_buyers: row.effective_buyers_hundredths === 0 ? null : row.effective_buyers_hundredths / 100,
    returning_buyers: row.returning_buyers < 0 ? null : row.returning_buyers,
    // Derived from the report's own flags.
    flags: JSON.parse(row.flags) as MerchantLine['flags'],
  }
}

/** Stored sums, whose amounts are micro-USDC, in dollars. */
export function toSums({ tx, amount, real_tx, real_amount }: FieldSums): Sums {
  return { tx, usd: toUsdNumber(BigInt(amount)), real_tx, real_usd: toUsdNumber(BigInt(real_amount)) }
}
