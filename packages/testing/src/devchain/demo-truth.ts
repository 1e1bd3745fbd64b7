import type { AtomicUsdc } from '@tollbook/chain/usdc'
import type { PaymentPath } from '@tollbook/devchain/demo-week/demo-event'
import type { SentEvent } from '@tollbook/devchain/demo-week/play-week'
import type { Address, Hex } from 'viem'

/** A payment of the demo week as it was sent; addresses are lower case. */
type DemoPayment = {
  readonly transaction: Hex
  /** Time of its block, epoch seconds. */
  readonly timestamp: number
  readonly buyer: Address
  readonly merchant: Address
  readonly amount: AtomicUsdc
  readonly path: PaymentPath
  /** Sender of the transaction: a facilitator, or for `receive` the merchant. */
  readonly sender: Address
}

/** Expected state of the chain after the demo week. */
export type DemoTruth = {
  readonly payments: readonly DemoPayment[]
  /**
   * By merchant, lower case: all payments, including those of path `receive`, which count only for listed
   * merchants.
   */
  readonly merchants: ReadonlyMap<Address, { readonly tx: number; readonly amount: AtomicUsdc }>
}

export function buildTruth(sent: readonly SentEvent[]): DemoTruth {
  const payments = sent.flatMap(({ event, transaction, blockSeconds }): DemoPayment[] => {
    if (event.kind !== 'payment') return []
    const { from, to, amount, path, sender } = event
    const [buyer, merchant] = [toLower(from.address), toLower(to.address)]
    const timestamp = blockSeconds
    return [{ transaction, timestamp, buyer, merchant, amount, path, sender: toLower(sender.address) }]
  })
  const byMerchant = Map.groupBy(payments, ({ merchant }) => merchant)
  const merchants = new Map(
    [...byMerchant].map(([merchant, earned]) => [
      merchant,
      { tx: earned.length, amount: earned.reduce((sum, { amount }) => sum + amount, 0n) },
    ]),
  )
  return { payments, merchants }
}

function toLower(address: Address): Address {
  return address.toLowerCase() as Address
}
