import type { Address } from '@tollbook/chain/hex'
import { addUpFigures } from '../build/add-up-figures.ts'
import type { MerchantFigures } from '../build/figures.ts'
import type { Window } from '../build/window.ts'
import { toEarlier, toScreened } from '../build/window.ts'
import type { Payment } from '../chain/payment.ts'
import { isPayment } from '../chain/payment-rule.ts'
import type { Transfer } from '../chain/transfer.ts'
import { floorOf, limitFloor, type PaidBelow } from '../screen/counting-floor.ts'
import type { MerchantFlow } from '../screen/flow/judge-flow.ts'
import type { ListedPrices, Screen } from '../screen/screen.ts'
import { screenPayments } from '../screen/screen-payments.ts'

/** Which of a merchant's payments count and how they are screened, in addition to the chain. */
export type MerchantRules = {
  readonly merchant: Address
  readonly isListed: boolean
  /** Wallets that the merchant has disclosed as its own. */
  readonly disclosedWallets: ReadonlySet<Address>
  readonly screens: readonly Screen[]
  /** Null without a paid listing. */
  readonly listedPrices: ListedPrices | null
  readonly flow: MerchantFlow
}

/** What the chain shows of one merchant in the blocks of a window. */
export type MerchantTransfers = {
  /** Joined by the rules of the indexer; the payment rule decides which of them count. */
  readonly received: readonly Payment[]
  /** The same of the seven days before the window; absent if they were not read. */
  readonly earlier?: readonly Payment[] | undefined
  /** All transfers out of the merchant's wallet. */
  readonly outflows: readonly Pick<Transfer, 'sender' | 'recipient' | 'amount'>[]
}

export type ScreenedPayment = Payment & {
  /** The kind of flag under which it counts; null when it passes every screen. */
  readonly flag: string | null
}

export type Recomputed = {
  readonly figures: MerchantFigures
  /** Every payment that counts, in chain order. */
  readonly payments: readonly ScreenedPayment[]
}

/** Screens and adds up one merchant's payments in one window from the chain, without a ledger. */
export function recompute(
  { received, earlier, outflows }: MerchantTransfers,
  window: Pick<Window, 'start' | 'end'>,
  rules: MerchantRules,
): Recomputed {
  const { merchant, screens } = rules
  const listedPayees = new Set(rules.isListed ? [merchant] : [])
  const screened = toScreened(window)
  const selectPayments = (all: readonly Payment[], { start, end }: Pick<Window, 'start' | 'end'>) =>
    all.filter(
      (payment) => payment.timestamp >= start && payment.timestamp < end && isPayment(payment, listedPayees),
    )
  const counted = selectPayments(received, screened)
  const prices = rules.listedPrices && limitFloor(rules.listedPrices, addUpBelow(counted, rules.listedPrices))
  const inputs = {
    disclosedWallets: new Map([[merchant, rules.disclosedWallets]]),
    listedPrices: new Map(prices ? [[merchant, prices]] : []),
    flows: new Map([[merchant, rules.flow]]),
  }
  const flags = screenPayments({ payments: counted, outflows, screens, inputs })
  const payments = counted
    .map((payment, at) => ({ ...payment, flag: flags[at] ?? null }))
    .filter(({ timestamp }) => timestamp >= window.start)
  const kinds = screens.map(({ kind }) => kind)
  const floor = floorOf(merchant, inputs)
  const unique = rules.listedPrices?.unique ?? []
  const before = toEarlier({ ...window, isEarlierRead: earlier !== undefined })
  const ofEarlier = earlier && before && selectPayments([...earlier, ...received], before)
  const earlierBuyers = ofEarlier?.filter(({ amount }) => amount >= floor).map(({ buyer }) => buyer)
  const figures = addUpFigures(merchant, payments, {
    kinds,
    floor,
    unique,
    earlier: earlierBuyers && new Set(earlierBuyers),
  })
  return { figures, payments }
}

function addUpBelow(payments: readonly Payment[], { floor }: ListedPrices): PaidBelow {
  let [sum, below] = [0n, 0n]
  for (const { amount } of payments) {
    sum += amount
    if (amount < floor) below += amount
  }
  return { sum, below }
}
