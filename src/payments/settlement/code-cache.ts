import type { Address } from '../../catalogue/endpoint.ts'
import { type Chain, readHasCode } from './chain.ts'

/** An account may gain code with any block (EIP-7702), so what is known of it soon grows old. */
const KEPT_MS = 30_000
const MOST_ACCOUNTS = 10_000

/** Tells whether accounts have code, remembering each for half a minute. */
export type CodeCache = {
  hasCode(account: Address, signal?: AbortSignal): Promise<boolean>
  forget(account: Address): void
}

export function createCodeCache(chain: Chain, now: () => number = Date.now): CodeCache {
  const known = new Map<Address, { readonly hasCode: boolean; readonly until: number }>()
  return {
    async hasCode(account, signal) {
      const entry = known.get(account)
      if (entry && entry.until > now()) return entry.hasCode
      const hasCode = await readHasCode(chain, account, signal)
      if (known.size >= MOST_ACCOUNTS) {
        const oldest = known.keys().next().value
        if (oldest !== undefined) known.delete(oldest)
      }
      known.delete(account)
      known.set(account, { hasCode, until: now() + KEPT_MS })
      return hasCode
    },
    forget(account) {
      known.delete(account)
    },
  }
}
