import type { Problem } from '@tollbook/http/problem'
import type { KeyedHash } from '../calls/keyed-hash.ts'
import type { Exchange } from '../contract/exchange.ts'
import { Challenges } from './challenge.ts'
import { createGasShare, type GasShare } from './gas-share.ts'
import type { GateSettings } from './gate-options.ts'
import { createSaleHealth, type SaleHealth } from './health.ts'
import { Refusals } from './refusals.ts'

/** What can be sold now and for which payment, and the answers to all other requests. */
export type Sale = {
  readonly challenges: Challenges
  readonly refusals: Refusals
  readonly health: SaleHealth
  readonly gasShare: GasShare
  /** Why the endpoint cannot be sold to anyone now, or null. */
  readonly closedProblem: (exchange: Exchange) => Problem | null
}

export function openSale(settings: GateSettings, keyedHash: KeyedHash): Sale {
  const { seller, facilitator, dataDir, logger, clock, count, limits } = settings
  const challenges = new Challenges({ seller, keyedHash, clock })
  const refusals = new Refusals({ challenges, count })
  const health = createSaleHealth({ facilitator, dataDir, freeBytes: limits.freeBytes, logger, clock })
  const gasShare = createGasShare({
    maxGasPercent: limits.maxGasPercent,
    settlementCost: health.settlementCost,
  })
  return {
    challenges,
    refusals,
    health,
    gasShare,
    closedProblem: (exchange) => {
      const unavailable = exchange.whyUnavailable()
      if (unavailable) return unavailable
      if (!challenges.isPayable(exchange)) return NOT_PAYABLE
      return health.problem() ?? gasShare.problem(exchange.endpoint.pricing)
    },
  }
}

const NOT_PAYABLE: Problem = {
  code: 'not_configured',
  detail: 'This endpoint is metered, and the configured facilitator does not support metered payments.',
}
