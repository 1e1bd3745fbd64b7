import type { Address } from '@tollbook/chain/hex'
import type { Payment } from '@tollbook/verify/chain/payment'
import type { Transfer } from '@tollbook/verify/chain/transfer'
import { fc } from '../property.ts'

/** What one wallet sends another: some sum, or just what makes a round trip of the pair, or a little less. */
export type Sending = Pick<Transfer, 'sender' | 'recipient' | 'amount' | 'timestamp'> & {
  readonly kind: 'half' | 'less than half' | 'any'
  /** In how many transfers. */
  readonly parts: bigint
}

export function arbitrarySendings(
  wallet: fc.Arbitrary<Address>,
  times: readonly number[],
): fc.Arbitrary<readonly Sending[]> {
  const sending = fc.record({
    sender: wallet,
    recipient: wallet,
    kind: fc.constantFrom('half', 'less than half', 'any'),
    amount: fc.bigInt(1n, 2n ** 40n),
    timestamp: fc.constantFrom(...times),
    parts: fc.constantFrom(1n, 3n),
  })
  return fc.array(sending, { maxLength: 6 })
}

/** @param counted the payments of which a sending is the half or less */
export function toOutflows(
  sendings: readonly Sending[],
  counted: readonly Pick<Payment, 'buyer' | 'merchant' | 'amount'>[],
): readonly Transfer[] {
  const rows = sendings.flatMap(({ sender, recipient, kind, amount, timestamp, parts }) => {
    const paid = counted
      .filter(({ buyer, merchant }) => buyer === recipient && merchant === sender)
      .reduce((sum, payment) => sum + payment.amount, 0n)
    // The smallest whole sum that is the half or more.
    const half = (paid + 1n) / 2n
    const sum = kind === 'half' ? half : kind === 'less than half' ? half - 1n : amount
    if (sum < parts) return []
    const amounts = [sum - (parts - 1n), ...Array.from({ length: Number(parts) - 1 }, () => 1n)]
    return amounts.map((part) => ({ timestamp, sender, recipient, amount: part }))
  })
  return rows.map((row, at) => ({ ...toPlace(at), ...row }))
}

/** Position of a transfer on the chain. */
export function toPlace(at: number): Pick<Transfer, 'blockNumber' | 'logIndex' | 'transaction'> {
  return { blockNumber: 1, logIndex: at, transaction: `0x${at.toString(16).padStart(64, '0')}` }
}
