import { statfs } from 'node:fs/promises'
import { isDiskFull } from '@tollbook/flow/disk-full'
import type { Logger } from '@tollbook/flow/logger'
import { makeFolder } from '@tollbook/flow/make-folder'
import type { Problem } from '@tollbook/http/problem'
import type { Facilitator, FacilitatorHealth, GasLeft, SettlementCost } from '../facilitator.ts'

/** How long nothing is sold after the store reported that it is full. */
const FULL_MS = 5_000
const HEALTH_TIMEOUT_MS = 5_000
const FULL = 'The store for answers is full right now.'

/** The start of the sales, for the operator. */
export type SaleOpening = {
  /** What keeps payments from being settled or stored, and what to do; null once they can be. */
  issue(): string | null
  /** Resolves when payments can be settled for the first time. */
  readonly opened: Promise<void>
}

/** Whether payments can be settled and stored: read at intervals, checked before every challenge. */
export interface SaleHealth {
  /** Why nothing can be sold now, or null; answers from memory. */
  problem(): Problem | null
  /** The gas cost of a settlement, as last reported by the facilitator; null if it does not pay for gas. */
  settlementCost(): SettlementCost | null
  /** The gas of the wallets that settle, as last reported; empty if someone else pays for it. */
  gasLeft(): readonly GasLeft[]
  refresh(): Promise<void>
  readonly opening: SaleOpening
  /** Why nothing is sold from now on, if the error means that the store is full; otherwise null. */
  noteError(error: unknown): Problem | null
}

export function createSaleHealth(options: {
  readonly facilitator: Facilitator
  readonly dataDir: string
  readonly freeBytes: number
  readonly logger: Logger
  readonly clock: () => Date
}): SaleHealth {
  const { facilitator, dataDir, freeBytes, logger, clock } = options
  let facilitatorIssue: string | null = null
  let settlementCost: SettlementCost | null = null
  let gasLeft: readonly GasLeft[] = []
  let isRoomShort = false
  let fullUntil = 0
  const opening = Promise.withResolvers<void>()

  async function readFacilitator(): Promise<void> {
    const health: FacilitatorHealth = await Promise.race([
      facilitator.health().catch(() => ({ isHealthy: false, detail: 'the facilitator does not answer' })),
      silence(),
    ])
    if (!health.isHealthy && facilitatorIssue === null)
      logger.warn({ detail: health.detail }, 'nothing is sold until the facilitator is healthy')
    facilitatorIssue = health.isHealthy ? null : health.detail
    settlementCost = health.settlementCost ?? null
    gasLeft = health.gasLeft ?? []
  }

  async function readRoom(): Promise<void> {
    makeFolder(dataDir)
    const { bavail, bsize } = await statfs(dataDir)
    const isShort = bavail * bsize < freeBytes
    if (isShort && !isRoomShort)
      logger.error(
        { folder: dataDir, freeBytes: bavail * bsize, neededBytes: freeBytes },
        'nothing is sold until there is more free space',
      )
    isRoomShort = isShort
  }

  const problem = () => {
    if (facilitatorIssue !== null) return unavailable('Payments cannot be settled right now.')
    if (isRoomShort || clock().getTime() < fullUntil) return unavailable(FULL)
    return null
  }

  return {
    problem,
    opening: {
      issue: () =>
        facilitatorIssue ?? (problem() && `the disk of ${dataDir} is full: free at least ${freeBytes} bytes`),
      opened: opening.promise,
    },
    settlementCost: () => settlementCost,
    gasLeft: () => gasLeft,
    refresh: async () => {
      await Promise.all([readFacilitator(), readRoom()])
      if (problem() === null) opening.resolve()
    },
    noteError: (error) => {
      if (!isDiskFull(error)) return null
      logger.error({ err: error }, 'the store is full')
      fullUntil = clock().getTime() + FULL_MS
      return unavailable(FULL)
    },
  }
}

function silence(): Promise<FacilitatorHealth> {
  return new Promise((resolve) => {
    const timer = setTimeout(
      () => resolve({ isHealthy: false, detail: 'the facilitator takes too long to answer' }),
      HEALTH_TIMEOUT_MS,
    )
    timer.unref()
  })
}

function unavailable(detail: string): Problem {
  return { code: 'unavailable', detail: `${detail} Nothing was charged.`, retryAfterSeconds: 30 }
}
