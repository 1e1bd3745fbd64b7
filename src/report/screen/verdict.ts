import type { Payment } from '../chain/payment.ts'
import type { Screen, ScreenInputs } from './screen.ts'

/**
 * The kind of flag under which each payment counts, or null where it passes every screen; in the order of the
 * payments given, which must be all of a window. What SQL does for every merchant at once, for one reader.
 */
export function judgePayments(
  payments: readonly Pick<Payment, 'buyer' | 'merchant' | 'amount'>[],
  screens: readonly Screen[],
  inputs: ScreenInputs,
): readonly (string | null)[] {
  const keyOf = ({ buyer, merchant }: Pick<Payment, 'buyer' | 'merchant'>) => `${buyer} ${merchant}`
  const counts = screens.map((screen) => {
    const candidates = new Map<string, number>()
    for (const payment of payments)
      if (screen.isCandidate(payment))
        candidates.set(keyOf(payment), (candidates.get(keyOf(payment)) ?? 0) + 1)
    return candidates
  })
  return payments.map((payment) => {
    const { buyer, merchant } = payment
    const flagging = screens.find((screen, at) => {
      const candidates = counts[at]?.get(keyOf(payment)) ?? 0
      return screen.isCandidate(payment) && screen.flagsPair({ buyer, merchant, candidates }, inputs)
    })
    return flagging?.kind ?? null
  })
}
