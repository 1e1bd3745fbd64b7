import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Address, Hex } from '../../chain/hex.ts'
import { BASE } from '../../money/network.ts'
import type { AtomicUsdc } from '../../money/usdc.ts'
import type { ChannelEscrow } from '../facilitator.ts'
import { toQuietError } from '../quiet-error.ts'
import type { State } from '../state/state.ts'
import { type ChannelRow, type ChannelRows, configOf } from './channel-rows.ts'
import { toChannelStorage } from './channel-storage.ts'

/** When what a channel owes is claimed: whichever comes first. */
export type ClaimPolicy = {
  /** Micro-USDC that are not claimed yet. */
  readonly amount: AtomicUsdc
  /** Age of the oldest call that is not claimed. */
  readonly ageMs: number
  /** Time since the newest call. */
  readonly quietMs: number
}

/** Chosen: a claim and its payout take a few blocks; a process that died meanwhile delays its channels by as much. */
const LEASE_MS = 20_000
/** A claim of more would not fit the gas of one transaction. */
const MAX_CHANNELS = 100
/**
 * A claim that failed, or was not worth its gas, is tried again after half the time since the last call, but at least
 * three times within the shortest delay of a withdrawal.
 */
const MAX_WAIT_MS = 5 * 60_000
/** Gas of a claim and payout: of the transactions, and of each channel. */
export const CLAIM_GAS = { base: 130_000n, perChannel: 60_000n }

/**
 * Claims what channels owe, and has it paid out to the receivers. Each channel is leased by one process; what a process
 * left behind is repeated, which has no further effect on the chain.
 */
export interface Claims {
  /** Handles every channel that is due. */
  run(): Promise<void>
}

export function createClaims(parts: {
  readonly state: State
  readonly escrow: ChannelEscrow
  readonly rows: ChannelRows
  readonly policy: ClaimPolicy
  readonly logger: Logger
  readonly clock: () => Date
}): Claims {
  const { state, escrow, rows, policy, logger, clock } = parts

  function findDue(now: number): Promise<readonly ChannelRow[]> {
    return state.db
      .selectFrom('payment_channel')
      .selectAll()
      .where('claim_until', '<=', now)
      .where((expression) =>
        expression.or([
          expression('claimed', '>', expression.ref('paid_out')),
          expression.and([
            expression('unclaimed_since', 'is not', null),
            expression.or([
              expression('unclaimed_since', '<=', now - policy.ageMs),
              expression('charged_at', '<=', now - policy.quietMs),
              expression('withdraw_at', '>', 0),
              sql<boolean>`charged - claimed >= ${Number(policy.amount)}`,
            ]),
          ]),
        ]),
      )
      .orderBy('withdraw_at', 'desc')
      .orderBy('unclaimed_since')
      .limit(MAX_CHANNELS)
      .execute()
  }

  /** The channels that this process may work on, as the chain has them if another process left them behind. */
  async function lease(due: readonly ChannelRow[], until: number): Promise<readonly ChannelRow[]> {
    const leased = await Promise.all(
      due.map(async (row) => {
        if (!(await rows.change(row, { claim_until: until }))) return []
        if (row.claim_until === 0) return [{ ...row, version: row.version + 1, claim_until: until }]
        const channel = { kind: 'voucher', id: row.id as Hex, config: configOf(row), max: '0' } as const
        return [await rows.sync(channel, await escrow.read(channel.id))]
      }),
    )
    return leased.flat()
  }

  async function openManager(receiver: Address, list: readonly ChannelRow[]) {
    const { BatchSettlementEvmScheme } = await import('@x402/evm/batch-settlement/server')
    const payable = list.map((row) => ({ ...row, charged: payableOf(row) }))
    const storage = toChannelStorage(rows, payable)
    const scheme = new BatchSettlementEvmScheme(receiver, {
      storage,
      receiverAuthorizerSigner: escrow.authorizer,
    })
    return scheme.createChannelManager(escrow, BASE.id, BASE.usdc)
  }

  /** @returns what could not be claimed. */
  async function claim(receiver: Address, list: readonly ChannelRow[]): Promise<readonly ChannelRow[]> {
    const manager = await openManager(receiver, list)
    try {
      await manager.claim({ maxClaimsPerBatch: MAX_CHANNELS })
      return []
    } catch (error) {
      // One of them cannot be claimed, which must not delay the others.
      if (list.length > 1) return (await Promise.all(list.map((row) => claim(receiver, [row])))).flat()
      logger.error({ err: toQuietError(error), channel: list[0]?.id }, 'channel could not be claimed')
      return list
    }
  }

  /** Channels that earn less than their gas wait for a lower fee, more calls, or others to share a transaction. */
  async function selectWorth(list: readonly ChannelRow[]): Promise<readonly ChannelRow[]> {
    const each = await escrow.gasCost(CLAIM_GAS.perChannel)
    const worth = list.filter((row) => BigInt(owedBy(row)) >= each)
    const owed = worth.reduce((sum, row) => sum + owedBy(row), 0)
    const gas = CLAIM_GAS.base + CLAIM_GAS.perChannel * BigInt(worth.length)
    return BigInt(owed) >= (await escrow.gasCost(gas)) ? worth : []
  }

  async function collect(receiver: Address, list: readonly ChannelRow[]): Promise<void> {
    const owing = list.filter((row) => owedBy(row) > 0)
    await Promise.all(list.filter((row) => owedBy(row) <= 0).map(finish))
    const worth = await selectWorth(owing)
    const failed = await claim(
      receiver,
      worth.filter((row) => payableOf(row) > row.claimed),
    )
    await Promise.all(owing.filter((row) => !worth.includes(row) || failed.includes(row)).map(postpone))
    const done = worth.filter((row) => !failed.includes(row))
    if (done.length === 0) return
    const claimed = await Promise.all(done.map(({ id }) => rows.find(id)))
    const manager = await openManager(receiver, [])
    await manager.settle().catch((error: Error) => {
      // Another process has had it paid out.
      if (!error.message.includes('nothing_to_settle')) throw error
    })
    await Promise.all(claimed.map((row) => row && finish(row)))
  }

  /** @param before the row as it was before the payout. */
  async function finish(before: ChannelRow): Promise<void> {
    for (let row: ChannelRow | null = before; row; row = await rows.find(row.id)) {
      const isClaimed = payableOf(row) <= row.claimed
      const change = {
        paid_out: Math.max(row.paid_out, before.claimed),
        claim_until: 0,
        ...(isClaimed && { unclaimed_since: null }),
      }
      if (!(await rows.change(row, change))) continue
      const lost = row.charged - row.balance
      if (isClaimed && lost > 0)
        logger.warn({ channel: row.id, lost }, 'payer withdrew micro-USDC that were not worth their claim')
      return
    }
  }

  async function postpone({ id }: ChannelRow): Promise<void> {
    for (let row = await rows.find(id); row; row = await rows.find(id)) {
      const now = clock().getTime()
      const waitMs = Math.min(Math.max((now - row.charged_at) / 2, LEASE_MS), MAX_WAIT_MS)
      if (await rows.change(row, { claim_until: now + Math.round(waitMs) })) return
    }
  }

  return {
    run: async () => {
      const now = clock().getTime()
      const leased = await lease(await findDue(now), now + LEASE_MS)
      const receivers = new Set(leased.map(({ receiver }) => receiver as Address))
      for (const receiver of receivers) {
        const list = leased.filter((row) => row.receiver === receiver)
        await collect(receiver, list).catch((error: unknown) =>
          logger.error({ err: toQuietError(error), receiver }, 'channels could not be claimed'),
        )
      }
    },
  }
}

/** The charges that the chain can pay: a withdrawal may have left less. */
function payableOf({ charged, balance }: ChannelRow): number {
  return Math.min(charged, balance)
}

function owedBy(row: ChannelRow): number {
  return payableOf(row) - row.paid_out
}
