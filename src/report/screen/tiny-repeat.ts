import { floorOf, toCountedCondition } from './counting-floor.ts'
import { MIN_LINKED_PERCENT } from './flow/judge-flow.ts'
import type { PairTest, Screen, ScreenInputs } from './screen.ts'

/** One cent, micro-USDC. */
const MAX_AMOUNT = 10_000
/** Below a hundred calls of one buyer in a week, no distorted count was observed. */
const MIN_PAYMENTS = 100

/** Very many very small payments of a buyer that is not independent of the merchant. */
export const tinyRepeat: Screen = Object.freeze({
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
    most_amount_micro_usdc: MAX_AMOUNT,
    fewest_payments: MIN_PAYMENTS,
    least_funded_percent: MIN_LINKED_PERCENT,
  },
  isCandidate: ({ merchant, buyer, amount }, inputs) =>
    amount <= MAX_AMOUNT &&
    amount >= floorOf(merchant, inputs) &&
    (inputs.flows.get(merchant)?.linked.has(buyer) ?? false),
  flagsPair: ({ candidates }) => candidates >= MIN_PAYMENTS,
  sql: {
    candidate: toCandidateCondition,
    basis: 'candidates',
    pair: ({ candidates }) => `${candidates} >= ${MIN_PAYMENTS}`,
  },
} satisfies Screen)

function toCandidateCondition(inputs: ScreenInputs, isPairOf: PairTest): string {
  const linked = new Map([...inputs.flows].map(([merchant, flow]) => [merchant, flow.linked]))
  return `(amount <= ${MAX_AMOUNT} AND ${toCountedCondition(inputs)} AND ${isPairOf(linked)})`
}
