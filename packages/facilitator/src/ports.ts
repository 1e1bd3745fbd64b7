import type { Address } from '@tollbook/chain/hex'
import type { Network } from '@tollbook/chain/network'
import { ProblemError } from '@tollbook/http/problem'
import { type Asking, createKeyAccess, type KeyAccess } from '@tollbook/http/request/key-access'
import { type RateLimiter, type RequestBudget, tooMany } from '@tollbook/http/request/rate-limit'
import type { ChannelOperations } from './channel-operations.ts'
import type { Listings } from './listings.ts'
import type { FacilitatorMetrics } from './metrics.ts'
import type { Settlements } from './settlements.ts'

export type FacilitatorPorts = {
  readonly listings: Listings
  readonly settlements: Settlements
  /** Null: payment channels are not settled. */
  readonly channels: ChannelOperations | null
  readonly network: Network
  /** Whether it is a local chain with the id of the network. */
  readonly isLocal: boolean
  /** Wallets that settle; `upto` payments name the first. */
  readonly wallets: readonly Address[]
  /** A request needs one of these keys; null: no key is needed, and the rate limit of the address applies. */
  readonly apiKeys: KeyAccess | null
  readonly limiter: RateLimiter
  /** Limits requests that settle; one beyond it also counts against the limit of its address. */
  readonly settledLimiter: RateLimiter
  readonly metrics: FacilitatorMetrics
}

/**
 * The budget of a request: what its address may request without settling; unlimited with an API key.
 * @throws ProblemError `api_key_required` or `rate_limited`.
 */
export function openBudget(
  { apiKeys, limiter, settledLimiter }: Pick<FacilitatorPorts, 'apiKeys' | 'limiter' | 'settledLimiter'>,
  request: Asking,
): RequestBudget {
  if (apiKeys) {
    apiKeys.require(request)
    return UNLIMITED
  }
  const { clientAddress } = request
  const budget = limiter.open(clientAddress)
  if (budget.waitSeconds > 0) throw new ProblemError(tooMany(budget.waitSeconds))
  return {
    ...budget,
    get isJoined() {
      return budget.isJoined
    },
    giveBack: () => (settledLimiter.take(clientAddress) === 0 ? budget.giveBack() : budget.end()),
  }
}

/**
 * Chosen: requests that settle, of an address without an API key, that cost it nothing: five payments a second. Money
 * that goes round between wallets of one owner costs the operator gas.
 */
export const FREE_PER_MINUTE = 600

/** Null without keys. */
export function openApiKeys(keys: readonly string[]): KeyAccess | null {
  if (keys.length === 0) return null
  const detail = 'This facilitator needs an API key: Authorization: Bearer <key>.'
  return createKeyAccess({ keys, code: 'api_key_required', realm: 'Tollbook facilitator', detail })
}

const nothing = () => {}
const UNLIMITED: RequestBudget = {
  waitSeconds: 0,
  isJoined: false,
  addBody: () => null,
  addRun: nothing,
  join: nothing,
  giveBack: nothing,
  end: nothing,
}
