import type { Hex } from '../chain/hex.ts'
import { withDeadline } from '../flow/deadline.ts'
import { createSemaphore } from '../flow/semaphore.ts'
import type { Problem } from '../http/problem.ts'
import { refused } from '../payments/authorization/refusal.ts'
import { CLAIM_GAS } from '../payments/channels/claims.ts'
import type { ChannelEscrow } from '../payments/facilitator.ts'
import type { ChannelRequest } from './read-channel-request.ts'

const MAX_TURN_MS = 15_000
/** Claims of one payee that wait for the one that is sent. */
const MAX_WAITING = 3

/** Claims of other sellers at our gas: those of one payee one after the other, or several would earn the same money. */
export interface ClaimTurns {
  /** @throws Busy if too many claims of the payee wait. */
  inTurn<Result>(read: ChannelRequest, act: () => Promise<Result>): Promise<Result>
  /** The refusal of claims that earn less than justifies their gas. */
  findProblem(read: ChannelRequest): Promise<Problem | null>
}

export function createClaimTurns(parts: {
  readonly escrow: Pick<ChannelEscrow, 'gasCost' | 'readClaimed'>
  /** Maximum gas cost of claims, in percent of what they earn. */
  readonly maxGasPercent: number
}): ClaimTurns {
  const { escrow, maxGasPercent } = parts
  const turns = createSemaphore({ max: 1, maxWaiting: MAX_WAITING })

  return {
    async inTurn({ payTo, claims }, act) {
      if (claims.length === 0) return act()
      const release = await withDeadline(MAX_TURN_MS, (signal) => turns.acquire(signal, payTo))
      try {
        return await act()
      } finally {
        release()
      }
    },
    async findProblem({ claims }) {
      if (claims.length === 0) return null
      const totals = new Map<Hex, bigint>()
      for (const { channel, total } of claims)
        if (total > (totals.get(channel) ?? 0n)) totals.set(channel, total)
      const before = await escrow.readClaimed([...totals.keys()])
      const earned = [...totals.values()].map((total, at) => total - (before[at] ?? 0n))
      const sum = earned.reduce((all, each) => (each > 0n ? all + each : all), 0n)
      const cost = await escrow.gasCost(CLAIM_GAS.base + CLAIM_GAS.perChannel * BigInt(claims.length))
      return cost * 100n > sum * BigInt(maxGasPercent) ? TOO_SMALL : null
    },
  }
}

const TOO_SMALL = refused('the claims earn too little for their gas', 'claim_below_gas')
