import type { Screen } from './screen.ts'

/** One cent, micro-USDC. */
const MAX_AMOUNT = 10_000
/** Below a hundred calls of one buyer in a week, no distorted count was observed. */
const MIN_PAYMENTS = 100

/** Very many very small payments of one buyer. */
export const tinyRepeat: Screen = Object.freeze({
  kind: 'tiny_repeat',
  version: 1,
  title: 'Many tiny payments of one buyer',
  explanation:
    'Every payment of at most $0.01 whose buyer made at least 100 such payments to this merchant in the window. ' +
    'The order of the payments and their exact amounts do not matter.',
  innocentCauses: [
    'A merchant tests its own endpoints with real payments.',
    'One large customer calls a cheap endpoint often.',
    'An integration with a high volume pays for each small call.',
  ],
  thresholds: { most_amount_micro_usdc: MAX_AMOUNT, fewest_payments: MIN_PAYMENTS },
  isCandidate: ({ amount }) => amount <= MAX_AMOUNT,
  flagsPair: ({ candidates }) => candidates >= MIN_PAYMENTS,
  sql: {
    candidate: `amount <= ${MAX_AMOUNT}`,
    basis: 'candidates',
    pair: ({ candidates }) => `${candidates} >= ${MIN_PAYMENTS}`,
  },
} satisfies Screen)
