import { MAX_RELAYS } from './flow/find-ways.ts'
import { MIN_MARKED_PERCENT } from './flow/judge-flow.ts'
import type { Screen } from './screen.ts'

/** A merchant that pays for its own buyers. */
export const fundedByMerchant: Screen = Object.freeze({
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
    'Two services of one operator buy from each other.',
  ],
  thresholds: { least_funded_percent: MIN_MARKED_PERCENT, most_relays: MAX_RELAYS },
  isCandidate: () => true,
  flagsPair: ({ buyer, merchant }, { flows }) => flows.get(merchant)?.funded.has(buyer) ?? false,
  sql: {
    candidate: () => '1',
    basis: 'wallets',
    pair: ({ isPairOf }, { flows }) =>
      isPairOf(new Map([...flows].map(([merchant, { funded }]) => [merchant, funded]))),
  },
} satisfies Screen)
