import { DEFAULT_FLOOR } from '@tollbook/verify/screen/counting-floor'
import type { ScreenInputs } from '@tollbook/verify/screen/screen'
import type { Dialect } from '../ledger/engine/dialect.ts'

/** The SQL condition that a payment counts, over columns of the payment table. */
export function toCountedCondition(
  { listedPrices }: Pick<ScreenInputs, 'listedPrices'>,
  dialect: Pick<Dialect, 'amountOfMerchant'>,
): string {
  const unusual = [...listedPrices].filter(
    ([, { floor, paid }]) =>
      floor !== DEFAULT_FLOOR && !(paid && paid.min >= floor && paid.min >= DEFAULT_FLOOR),
  )
  const floors = new Map(unusual.map(([merchant, { floor }]) => [merchant, floor]))
  return `amount >= ${dialect.amountOfMerchant(floors, DEFAULT_FLOOR)}`
}
