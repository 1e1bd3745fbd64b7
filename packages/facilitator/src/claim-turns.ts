import type { Hex } from '@tollbook/chain/hex'
import { CLAIM_GAS } from '@tollbook/channels/claims'
import { withDeadline } from '@tollbook/flow/deadline'
import { createSemaphore } from '@tollbook/flow/semaphore'
import { refused } from '@tollbook/gate/authorization/refusal'
import type { ChannelEscrow } from '@tollbook/gate/facilitator'
import type { Problem } from '@tollbook/http/problem'
import type { ChannelRequest } from './read-channel-request.ts'

const MAX_TURN_MS = 15_000
/** A refund to an empty wallet takes 102,000 on the dev chain. */
const REFUND_GAS = 110_000n
/** Claims of one payee that wait for the one that is sent. */
const MAX_WAITING = 3

/**
 * Serialises voucher claims and refunds per payee: we pay the gas, and two concurrent claims could count the same
 * revenue.
 */
export interface ClaimTurns {
  /** @throws Busy if too many claims of the payee wait. */
  inTurn<Result>(read: ChannelRequest, act: () => Promise<Result>): Promise<Result>
  /** The refusal of claims and refunds that move less than justifies their gas. */
  findProblem(read: ChannelRequest): Promise<Problem | null>
}

export function createClaimTurns(parts: {
  readonly escrow: Pick<ChannelEscrow, 'gasCost' | 'read' | 'readClaimed'>
  /** Maximum gas cost, in percent of what is moved. */
  readonly maxGasPercent: number
}): ClaimTurns {
  const { escrow, maxGasPercent } = parts
  const turns = createSemaphore({ max: 1, maxWaiting: MAX_WAITING })

  /** The part of an amount that the channel still has after its claim. */
  async function readRefundable(channel: Hex, amount: bigint, totals: ReadonlyMap<Hex, bigint>) {
    const { balance, totalClaimed } = await escrow.read(channel)
    const claimed = totals.get(channel) ?? 0n
    const left = balance - (claimed > totalClaimed ? claimed : totalClaimed)
    if (left < 0n) return 0n
    return amount < left ? amount : left
  }

  return {
    async inTurn({ kind, payTo }, act) {
      if (kind !== 'claim') return act()
      const release = await withDeadline(MAX_TURN_MS, (signal) => turns.acquire(signal, payTo))
      try {
        return await act()
      } finally {
        release()
      }
    },
    async findProblem({ claims, refund, channel }) {
      if (claims.length === 0 && !refund) return null
      const totals = new Map<Hex, bigint>()
      for (const { channel, total } of claims)
        if (total > (totals.get(channel) ?? 0n)) totals.set(channel, total)
      const before = await escrow.readClaimed([...totals.keys()])
      const earned = [...totals.values()].map((total, at) => total - (before[at] ?? 0n))
      const sum = earned.reduce((all, each) => (each > 0n ? all + each : all), 0n)
      const ofClaims = CLAIM_GAS.base + CLAIM_GAS.perChannel * BigInt(claims.length)
      const cost = await escrow.gasCost((claims.length > 0 ? ofClaims : 0n) + (refund ? REFUND_GAS : 0n))
      const back = refund && channel ? await readRefundable(channel, refund.amount, totals) : 0n
      if (cost * 100n <= (sum + back) * BigInt(maxGasPercent)) return null
      return refund ? REFUND_TOO_SMALL : TOO_SMALL
    },
  }
}

const REFUND_TOO_SMALL = refused('the refund is too small for its gas', 'refund_below_gas')
const TOO_SMALL = refused('the claims earn too little for their gas', 'claim_below_gas')
