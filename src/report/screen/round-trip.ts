import { toShareCondition } from '../ledger/share-condition.ts'
import type { Screen } from './screen.ts'

/** From this share on most of the money cannot have been a price. */
const MIN_RETURNED_PERCENT = 50

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
  thresholds: { least_returned_percent: MIN_RETURNED_PERCENT },
  isCandidate: () => true,
  flagsPair: ({ paid, sentBack }) => sentBack * 100n >= paid * BigInt(MIN_RETURNED_PERCENT),
  sql: {
    candidate: () => '1',
    basis: 'sums',
    pair: ({ paid, sentBack }) => toShareCondition(sentBack, paid, MIN_RETURNED_PERCENT),
  },
} satisfies Screen)
