import { MAX_RELAYS } from './flow/find-ways.ts'
import { placeOf } from './flow/follow-shares.ts'
import { MIN_MARKED_PERCENT } from './flow/judge-flow.ts'
import type { Screen, ScreenInputs } from './screen.ts'

/** Both numbers of a place have 32 bits. */
const LOGS_A_BLOCK = 2n ** 32n

/** Money that goes round. */
export const circular: Screen = Object.freeze({
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
    'Several services of one operator pay each other.',
    'A merchant pays a supplier whose agents are its customers.',
  ],
  thresholds: { least_returned_percent: MIN_MARKED_PERCENT, most_relays: MAX_RELAYS },
  isCandidate: (payment, { flows }) => flows.get(payment.merchant)?.circular.has(placeOf(payment)) ?? false,
  flagsPair: ({ candidates }) => candidates > 0,
  sql: { candidate: toPlaceCondition, basis: 'candidates', pair: () => '1' },
} satisfies Screen)

/** Places as single numbers: a set of pairs of columns of the sorting key is looked up in the whole index. */
function toPlaceCondition({ flows }: ScreenInputs): string {
  const places = [...flows.values()].flatMap((flow) => [...flow.circular])
  if (places.length === 0) return '0'
  const numbers = places.map((place) => {
    const [block = '', logIndex = ''] = place.split(':')
    return BigInt(block) * LOGS_A_BLOCK + BigInt(logIndex)
  })
  return `(block * ${LOGS_A_BLOCK} + log_index IN (${numbers.join(', ')}))`
}
