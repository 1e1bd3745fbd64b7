import { floorOf } from './counting-floor.ts'
import { MAX_RELAYS } from './flow/find-ways.ts'
import { placeOf } from './flow/follow-shares.ts'
import { MIN_LINKED_PERCENT, MIN_MARKED_PERCENT } from './flow/judge-flow.ts'
import { METHOD_CHANGES } from './method-changes.ts'
import type { ListedPrices, Screen } from './screen.ts'

/** One cent, micro-USDC. */
export const MAX_TINY_AMOUNT = 10_000
/** Below a hundred calls of one buyer in a week, no distorted count was observed. */
export const MIN_TINY_PAYMENTS = 100

/** Very many very small payments of a buyer that is not independent of the merchant. */
const tinyRepeat: Screen = Object.freeze({
  kind: 'tiny_repeat',
  version: 2,
  title: 'Many tiny payments with money of the merchant',
  explanation:
    'Every counted payment of at most $0.01 whose buyer made at least 100 such payments to this merchant in the ' +
    'window, and got from the merchant at least 10% of its USDC of the window and of what it paid, directly or ' +
    'over up to six other wallets. A small price alone is no reason for a flag, and neither is a customer that calls often.',
  innocentCauses: [
    'A merchant tests its own endpoints with real payments.',
    'A merchant pays a customer for something else, or refunds many failed calls.',
    'A merchant credits new customers with a first balance.',
  ],
  thresholds: {
    max_amount_micro_usdc: MAX_TINY_AMOUNT,
    min_payments: MIN_TINY_PAYMENTS,
    min_funded_percent: MIN_LINKED_PERCENT,
  },
  isCandidate: ({ merchant, buyer, amount }, inputs) =>
    amount <= MAX_TINY_AMOUNT &&
    amount >= floorOf(merchant, inputs) &&
    (inputs.flows.get(merchant)?.linked.has(buyer) ?? false),
  flagsPair: ({ candidates }) => candidates >= MIN_TINY_PAYMENTS,
} satisfies Screen)

/** Chosen: catalogues list an endpoint or two of a merchant, and others may well cost a hundred times as much. */
const MAX_TIMES = 1_000
/** Chosen: ten dollars, micro-USDC; below it no single call distorts a ranking. */
export const MIN_AMOUNT_ABOVE = 10_000_000

/** A payment that neither a listed price nor the merchant's claim explains. */
const aboveListing: Screen = Object.freeze({
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
  thresholds: { min_amount_micro_usdc: MIN_AMOUNT_ABOVE, max_multiple_of_highest_listing: MAX_TIMES },
  isCandidate: ({ merchant, amount }, { listedPrices }) => {
    const prices = listedPrices.get(merchant)
    return prices !== undefined && amount >= MIN_AMOUNT_ABOVE && amount > limitOf(prices)
  },
  flagsPair: ({ candidates }) => candidates > 0,
} satisfies Screen)

/** The highest amount that the prices explain. They are at most a billion dollars, so it fits 64 bits. */
export function limitOf({ highest, stated = 0n }: ListedPrices): bigint {
  const limit = highest * BigInt(MAX_TIMES)
  return stated > limit ? stated : limit
}

/** Money that goes round. */
const circular: Screen = Object.freeze({
  kind: 'circular',
  version: 1,
  title: 'Money that goes round',
  explanation:
    'Every payment of which at least 50% is money that had left the wallet of the merchant, or one that it ' +
    'disclosed, and came back over up to six other wallets; whether a wallet gets its own money back before or ' +
    'after it pays makes no difference within the window. Also every payment whose buyer received the money in ' +
    'the very transaction in which the merchant passes it on. Only the payments that went round are flagged, not ' +
    'the buyer.',
  innocentCauses: [
    'A marketplace pays out to sellers that buy from it as well.',
    'Several services of one merchant pay each other.',
    'A merchant pays a supplier whose agents are its customers.',
  ],
  thresholds: { min_returned_percent: MIN_MARKED_PERCENT, max_relays: MAX_RELAYS },
  isCandidate: (payment, { flows }) => flows.get(payment.merchant)?.circular.has(placeOf(payment)) ?? false,
  flagsPair: ({ candidates }) => candidates > 0,
} satisfies Screen)

/** A merchant that pays for its own buyers. */
const fundedByMerchant: Screen = Object.freeze({
  kind: 'funded_by_merchant',
  version: 1,
  title: 'Buyer funded by the merchant',
  explanation:
    'Every payment of a buyer whose USDC of the window came mostly from the merchant: at least 50% of what the ' +
    'buyer received in the window, and at least 50% of what it paid this merchant, had left the wallet of the ' +
    'merchant, or one that it disclosed, directly or over up to six other wallets. Wallets in between pass on ' +
    'the money of the merchant and other money in the proportion in which they hold them; exchanges and other ' +
    'wallets that many people share are not followed.',
  innocentCauses: [
    'A merchant gives its staff or its partners money to test its endpoints.',
    'A merchant credits new customers with a first balance.',
    'Two services of one merchant buy from each other.',
  ],
  thresholds: { min_funded_percent: MIN_MARKED_PERCENT, max_relays: MAX_RELAYS },
  isCandidate: () => true,
  flagsPair: ({ buyer, merchant }, { flows }) => flows.get(merchant)?.funded.has(buyer) ?? false,
} satisfies Screen)

/** From this share on most of the money cannot have been a price. */
export const MIN_RETURNED_PERCENT = 50

/** A merchant that sends the money back. */
export const roundTrip: Screen = Object.freeze({
  kind: 'round_trip',
  version: 1,
  title: 'Money sent back to the buyer',
  explanation:
    'Every payment of a buyer to whom the merchant wallet transferred at least 50% of what this buyer paid it in ' +
    'the window. Every transfer of native USDC above zero from the one wallet to the other counts, whatever its ' +
    'reason and whether it came before or after the payments.',
  innocentCauses: [
    'A merchant refunds a customer, or a deposit of which little was used.',
    'Two services buy from each other.',
    'A marketplace pays out to sellers that buy from it as well.',
    'A merchant funds a wallet of its own, or of its staff, that tests its endpoints.',
  ],
  thresholds: { min_returned_percent: MIN_RETURNED_PERCENT },
  isCandidate: () => true,
  flagsPair: ({ paid, sentBack }) => sentBack * 100n >= paid * BigInt(MIN_RETURNED_PERCENT),
} satisfies Screen)

/** A merchant that pays itself. */
export const selfPay: Screen = Object.freeze({
  kind: 'self_pay',
  version: 1,
  title: 'Merchant pays itself',
  explanation:
    'Every payment whose buyer is the merchant wallet itself, or a wallet that the merchant has disclosed as its own.',
  innocentCauses: [
    'A merchant tests its own endpoints with real payments.',
    'One merchant runs several services that call each other.',
  ],
  thresholds: {},
  isCandidate: () => true,
  flagsPair: ({ buyer, merchant }, { disclosedWallets }) =>
    buyer === merchant || (disclosedWallets.get(merchant)?.has(buyer) ?? false),
} satisfies Screen)

/** Every screen by priority: a payment counts under the first kind that flags it. */
export const SCREENS: readonly Screen[] = Object.freeze([
  selfPay,
  roundTrip,
  fundedByMerchant,
  circular,
  aboveListing,
  tinyRepeat,
])

/** Version of the whole method: the payment rule, the list of facilitators and the screens. See docs/screens.md. */
export const METHOD_VERSION = METHOD_CHANGES[0].version
