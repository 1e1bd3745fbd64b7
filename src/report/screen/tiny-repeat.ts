import type { Screen } from './screen.ts'

/** One cent, micro-USDC. */
const MOST_AMOUNT = 10_000
/** Below a hundred calls of one buyer in a week, nothing was seen that would distort a count. */
const FEWEST_PAYMENTS = 100

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
  thresholds: { most_amount_micro_usdc: MOST_AMOUNT, fewest_payments: FEWEST_PAYMENTS },
  isCandidate: ({ amount }) => amount <= MOST_AMOUNT,
  flagsPair: ({ candidates }) => candidates >= FEWEST_PAYMENTS,
  sql: {
    candidate: `amount <= ${MOST_AMOUNT}`,
    basis: 'candidates',
    pair: ({ candidates }) => `${candidates} >= ${FEWEST_PAYMENTS}`,
  },
} satisfies Screen)
