import type { Address } from '@tollbook/chain/hex'
import type { AtomicUsdc } from '@tollbook/chain/usdc'
import type { Transfer } from '../chain/transfer.ts'
import type { Candidate, Screen, ScreenInputs } from './screen.ts'

export type Screening = {
  /** All payments of a window that the payment rule counts, of one merchant or of several. */
  readonly payments: readonly Candidate[]
  /** All transfers out of these merchants' wallets in the window; others are ignored. */
  readonly outflows: readonly Pick<Transfer, 'sender' | 'recipient' | 'amount'>[]
  /** By priority. */
  readonly screens: readonly Screen[]
  readonly inputs: ScreenInputs
}

/** The flag of each payment, null for a passing one, in their order: the SQL's equivalent in memory. */
export function screenPayments({
  payments,
  outflows,
  screens,
  inputs,
}: Screening): readonly (string | null)[] {
  const pairs = new Pairs(screens.length)
  const pairOf = payments.map((payment) => {
    const pair = pairs.of(payment.merchant, payment.buyer)
    pair.paid += payment.amount
    screens.forEach((screen, at) => {
      if (screen.isCandidate(payment, inputs)) pair.candidates[at] = (pair.candidates[at] ?? 0) + 1
    })
    return pair
  })
  for (const { sender, recipient, amount } of outflows) {
    const pair = pairs.find(sender, recipient)
    if (pair) pair.sentBack += amount
  }
  // Millions of payments may belong to a few pairs, so each pair is screened once.
  const flagging = new Map<PairSums, readonly Screen[]>()
  const flaggingOf = (pair: PairSums) =>
    screens.filter((screen, at) =>
      screen.flagsPair({ ...pair, candidates: pair.candidates[at] ?? 0 }, inputs),
    )
  return payments.map((payment, at) => {
    const pair = pairOf[at]
    if (!pair) return null
    const flagged = flagging.get(pair) ?? flaggingOf(pair)
    flagging.set(pair, flagged)
    return flagged.find((screen) => screen.isCandidate(payment, inputs))?.kind ?? null
  })
}

type PairSums = {
  readonly buyer: Address
  readonly merchant: Address
  paid: AtomicUsdc
  sentBack: AtomicUsdc
  /** By the index of the screen. */
  readonly candidates: number[]
}

/** Running totals for each buyer and merchant. */
class Pairs {
  readonly #screens: number
  readonly #byMerchant = new Map<Address, Map<Address, PairSums>>()

  constructor(screens: number) {
    this.#screens = screens
  }

  find(merchant: Address, buyer: Address): PairSums | undefined {
    return this.#byMerchant.get(merchant)?.get(buyer)
  }

  of(merchant: Address, buyer: Address): PairSums {
    const found = this.find(merchant, buyer)
    if (found) return found
    const buyers = this.#byMerchant.get(merchant) ?? new Map<Address, PairSums>()
    const candidates = new Array<number>(this.#screens).fill(0)
    const pair = { buyer, merchant, paid: 0n, sentBack: 0n, candidates }
    this.#byMerchant.set(merchant, buyers.set(buyer, pair))
    return pair
  }
}
