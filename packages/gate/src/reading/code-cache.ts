import type { Address, Hex } from '@tollbook/chain/hex'
import { keccak } from '@tollbook/chain/keccak'
import { isErc6492 } from '../authorization/check-signature.ts'
import type { OfferedPayment } from '../payment.ts'
import { type Chain, readCode } from './chain.ts'

/** An account may gain code in any block (EIP-7702), so the TTL is short. */
const TTL_MS = 30_000
const MAX_ACCOUNTS = 10_000

/** The hashes of accounts' code, cached for 30 seconds. */
export type CodeCache = {
  hasCode(account: Address, signal?: AbortSignal): Promise<boolean>
  /**
   * The hash of a payer's code, null without code; not cached if the payment itself would deploy the wallet
   * (ERC-6492).
   */
  payerCode(payment: OfferedPayment, signal?: AbortSignal): Promise<Hex | null>
  forget(account: Address): void
  /** keccak256 of bytes in hex. */
  hashOf(bytes: Hex): Hex
}

export function createCodeCache(chain: Chain): CodeCache {
  const known = new Map<Address, { readonly codeHash: Hex | null; readonly until: number }>()
  const hashOf = (bytes: Hex): Hex => `0x${keccak(Buffer.from(bytes.slice(2), 'hex')).toString('hex')}`
  const codeHashOf = async (account: Address, signal?: AbortSignal): Promise<Hex | null> => {
    const entry = known.get(account)
    if (entry && entry.until > Date.now()) return entry.codeHash
    const code = await readCode(chain, account, signal)
    const codeHash = code === '0x' ? null : hashOf(code)
    if (known.size >= MAX_ACCOUNTS) {
      const oldest = known.keys().next().value
      if (oldest !== undefined) known.delete(oldest)
    }
    known.delete(account)
    known.set(account, { codeHash, until: Date.now() + TTL_MS })
    return codeHash
  }
  return {
    hasCode: async (account, signal) => (await codeHashOf(account, signal)) !== null,
    payerCode(payment, signal) {
      if (isErc6492(payment)) known.delete(payment.payer)
      return codeHashOf(payment.payer, signal)
    },
    forget(account) {
      known.delete(account)
    },
    hashOf,
  }
}
