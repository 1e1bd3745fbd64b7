import type { Address } from '@tollbook/chain/hex'
import { isPayment } from '../chain/payment-rule.ts'
import type { Wallets } from '../published/group-key.ts'
import { type MerchantQuery, type ReadTransfers, readMerchant } from './read-merchant.ts'

export type UnionQuery = MerchantQuery & {
  readonly wallets: Wallets
  /** Those that a listing names as payee. */
  readonly listedWallets: ReadonlySet<Address>
}

/** What the chain shows of the wallets of a merchant, as if they were one: only payments that count. */
export async function readUnion(query: UnionQuery, signal: AbortSignal): Promise<ReadTransfers> {
  const { wallets, listedWallets } = query
  const own = new Set<Address>(wallets)
  const toOne = (wallet: Address) => (own.has(wallet) ? wallets[0] : wallet)
  const { received, escrowed, outflows } = await readMerchant(query, signal)
  return {
    received: received
      .filter((payment) => isPayment(payment, listedWallets))
      .map((payment) => ({ ...payment, merchant: wallets[0] })),
    escrowed: escrowed.map((payment) => ({ ...payment, buyer: toOne(payment.buyer) })),
    outflows: outflows.map(({ sender, recipient, amount }) => ({
      sender: toOne(sender),
      recipient: toOne(recipient),
      amount,
    })),
  }
}
