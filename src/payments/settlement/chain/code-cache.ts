import type { Address } from '../../../catalogue/endpoint.ts'
import { isErc6492 } from '../../authorization/check-signature.ts'
import type { OfferedPayment } from '../../payment.ts'
import { type Chain, readHasCode } from './chain.ts'

/** An account may gain code with any block (EIP-7702), so what is known of it soon grows old. */
const KEPT_MS = 30_000
const MOST_ACCOUNTS = 10_000

/** Tells whether accounts have code, remembering each for half a minute. */
export type CodeCache = {
  hasCode(account: Address, signal?: AbortSignal): Promise<boolean>
  /** The same for a payer; asked anew where the payment itself would deploy the wallet (ERC-6492). */
  payerHasCode(payment: OfferedPayment, signal?: AbortSignal): Promise<boolean>
  forget(account: Address): void
}

export function createCodeCache(chain: Chain, now: () => number = Date.now): CodeCache {
  const known = new Map<Address, { readonly hasCode: boolean; readonly until: number }>()
  const hasCode = async (account: Address, signal?: AbortSignal): Promise<boolean> => {
    const entry = known.get(account)
    if (entry && entry.until > now()) return entry.hasCode
    const isContract = await readHasCode(chain, account, signal)
    if (known.size >= MOST_ACCOUNTS) {
      const oldest = known.keys().next().value
      if (oldest !== undefined) known.delete(oldest)
    }
    known.delete(account)
    known.set(account, { hasCode: isContract, until: now() + KEPT_MS })
    return isContract
  }
  return {
    hasCode,
    payerHasCode(payment, signal) {
      if (isErc6492(payment)) known.delete(payment.payer)
      return hasCode(payment.payer, signal)
    },
    forget(account) {
      known.delete(account)
    },
  }
}
