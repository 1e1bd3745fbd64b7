import { toAmountOfMerchant } from './merchant-amounts.ts'
import type { ListedPrices, Screen, ScreenInputs } from './screen.ts'

/** Chosen: catalogues list an endpoint or two of a merchant, and others may well cost a hundred times as much. */
const MAX_TIMES = 1_000
/** Chosen: ten dollars, micro-USDC; below it no single call distorts a ranking. */
const MIN_AMOUNT = 10_000_000

const MAX_UINT64 = 2n ** 64n - 1n

/** A payment that neither a listed price nor the merchant's claim explains. */
export const aboveListing: Screen = Object.freeze({
  kind: 'above_listing',
  version: 1,
  title: 'Payment far above every listed price',
  explanation:
    'Every payment of at least $10 that is more than 1,000 times the highest price among the listings of the merchant. ' +
    'Merchants without listings are not screened. A listing of the endpoint that costs so much explains the ' +
    'payment, and so does a claim that states such a price.',
  innocentCauses: [
    'A merchant sells something expensive that no catalogue lists, and that its claim does not state.',
    'A customer pays in advance for many calls.',
    'A merchant lowered its prices within the week.',
  ],
  thresholds: { least_amount_micro_usdc: MIN_AMOUNT, most_times_of_the_dearest_listing: MAX_TIMES },
  isCandidate: ({ merchant, amount }, { listedPrices }) => {
    const prices = listedPrices.get(merchant)
    return prices !== undefined && amount >= MIN_AMOUNT && amount > limitOf(prices)
  },
  flagsPair: ({ candidates }) => candidates > 0,
  sql: { candidate: toLimitCondition, basis: 'candidates', pair: () => '1' },
} satisfies Screen)

function toLimitCondition({ listedPrices }: ScreenInputs): string {
  const limits = new Map(
    [...listedPrices].flatMap(([merchant, prices]) => {
      const limit = limitOf(prices)
      const isReached = !prices.paid || (prices.paid.max >= MIN_AMOUNT && prices.paid.max > limit)
      return isReached ? [[merchant, limit] as const] : []
    }),
  )
  return limits.size === 0
    ? '0'
    : `(amount >= ${MIN_AMOUNT} AND amount > ${toAmountOfMerchant(limits, MAX_UINT64)})`
}

/** Prices are at most a billion dollars, so the limit fits 64 bits. */
function limitOf({ highest, stated = 0n }: ListedPrices): bigint {
  const limit = highest * BigInt(MAX_TIMES)
  return stated > limit ? stated : limit
}
