import type { Address, Hex } from '@tollbook/chain/hex'
import type { Logger } from '@tollbook/flow/logger'
import type { ChannelEscrow } from '@tollbook/gate/facilitator'
import type { ClaimPolicy } from '@tollbook/gate/gate/channels'
import { toQuietError } from '@tollbook/gate/quiet-error'
import type { State } from '@tollbook/gate/state/state'
import { sql } from 'kysely'
import { type ChannelRequest, requestClaim, requestPayout, type VoucherClaim } from './channel-requests.ts'
import { type ChannelRow, type ChannelRows, configOf } from './channel-rows.ts'

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
export class Claims {
  readonly #state: State
  readonly #escrow: ChannelEscrow
  readonly #rows: ChannelRows
  readonly #policy: ClaimPolicy
  readonly #logger: Logger
  readonly #clock: () => Date

  constructor(parts: {
    readonly state: State
    readonly escrow: ChannelEscrow
    readonly rows: ChannelRows
    readonly policy: ClaimPolicy
    readonly logger: Logger
    readonly clock: () => Date
  }) {
    this.#state = parts.state
    this.#escrow = parts.escrow
    this.#rows = parts.rows
    this.#policy = parts.policy
    this.#logger = parts.logger
    this.#clock = parts.clock
  }

  /** Handles every channel that is due. */
  async run(): Promise<void> {
    const now = this.#clock().getTime()
    const leased = await this.#lease(await this.#findDue(now), now + LEASE_MS)
    const receivers = new Set(leased.map(({ receiver }) => receiver as Address))
    for (const receiver of receivers) {
      const list = leased.filter((row) => row.receiver === receiver)
      await this.#collect(receiver, list).catch((error: unknown) =>
        this.#logger.error({ err: toQuietError(error), receiver }, 'channels could not be claimed'),
      )
    }
  }

  #findDue(now: number): Promise<readonly ChannelRow[]> {
    const { amount, ageMs, quietMs } = this.#policy
    return this.#state.db
      .selectFrom('payment_channel')
      .selectAll()
      .where('claim_until', '<=', now)
      .where((expression) =>
        expression.or([
          expression('claimed', '>', expression.ref('paid_out')),
          expression.and([
            expression('unclaimed_since', 'is not', null),
            expression.or([
              expression('unclaimed_since', '<=', now - ageMs),
              expression('charged_at', '<=', now - quietMs),
              expression('withdraw_at', '>', 0),
              sql<boolean>`charged - claimed >= ${Number(amount)}`,
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
  async #lease(due: readonly ChannelRow[], until: number): Promise<readonly ChannelRow[]> {
    const leased = await Promise.all(
      due.map(async (row) => {
        if (!(await this.#rows.change(row, { claim_until: until }))) return []
        if (row.claim_until === 0) return [{ ...row, version: row.version + 1, claim_until: until }]
        const channel = { kind: 'voucher', id: row.id as Hex, config: configOf(row), max: '0' } as const
        return [await this.#rows.sync(channel, await this.#escrow.read(channel.id))]
      }),
    )
    return leased.flat()
  }

  async #collect(receiver: Address, list: readonly ChannelRow[]): Promise<void> {
    const owing = list.filter((row) => owedBy(row) > 0)
    await Promise.all(list.filter((row) => owedBy(row) <= 0).map((row) => this.#finish(row)))
    const worth = await this.#selectWorth(owing)
    const failed = await this.#claim(
      receiver,
      worth.filter((row) => payableOf(row) > row.claimed),
    )
    const later = owing.filter((row) => !worth.includes(row) || failed.includes(row))
    await Promise.all(later.map((row) => this.#postpone(row)))
    const done = worth.filter((row) => !failed.includes(row))
    if (done.length === 0) return
    const claimed = await Promise.all(done.map(({ id }) => this.#rows.find(id)))
    await this.#send('Settle', requestPayout(receiver, this.#escrow.network)).catch((error: Error) => {
      // Another process has had it paid out.
      if (!error.message.includes('nothing_to_settle')) throw error
    })
    await Promise.all(claimed.map((row) => row && this.#finish(row)))
  }

  /** Channels that earn less than their gas wait for a lower fee, more calls, or others to share a transaction. */
  async #selectWorth(list: readonly ChannelRow[]): Promise<readonly ChannelRow[]> {
    const each = await this.#escrow.gasCost(CLAIM_GAS.perChannel)
    const worth = list.filter((row) => BigInt(owedBy(row)) >= each)
    const owed = worth.reduce((sum, row) => sum + owedBy(row), 0)
    const gas = CLAIM_GAS.base + CLAIM_GAS.perChannel * BigInt(worth.length)
    return BigInt(owed) >= (await this.#escrow.gasCost(gas)) ? worth : []
  }

  /** @returns what could not be claimed. */
  async #claim(receiver: Address, list: readonly ChannelRow[]): Promise<readonly ChannelRow[]> {
    if (list.length === 0) return []
    const { authorizer, network } = this.#escrow
    try {
      await this.#send('Claim', await requestClaim(authorizer, { receiver, network }, list.map(toClaim)))
      for (const row of list) await this.#noteClaimed(row)
      return []
    } catch (error) {
      // One of them cannot be claimed, which must not delay the others.
      if (list.length > 1) return (await Promise.all(list.map((row) => this.#claim(receiver, [row])))).flat()
      this.#logger.error({ err: toQuietError(error), channel: list[0]?.id }, 'channel could not be claimed')
      return list
    }
  }

  async #send(operation: string, request: ChannelRequest): Promise<void> {
    const { success, errorReason = 'unknown', errorMessage = '' } = await this.#escrow.settle(...request)
    if (!success) throw new Error(`${operation} failed: ${errorReason} — ${errorMessage}`)
  }

  /** @param before the row as it was before the claim. */
  async #noteClaimed(before: ChannelRow): Promise<void> {
    const { id } = before
    const claimed = payableOf(before)
    for (let row = await this.#rows.find(id); row && row.claimed < claimed; row = await this.#rows.find(id)) {
      const change = { claimed, ...(row.charged <= claimed && { unclaimed_since: null }) }
      if (await this.#rows.change(row, change)) return
    }
  }

  /** @param before the row as it was before the payout. */
  async #finish(before: ChannelRow): Promise<void> {
    for (let row: ChannelRow | null = before; row; row = await this.#rows.find(row.id)) {
      const isClaimed = payableOf(row) <= row.claimed
      const change = {
        paid_out: Math.max(row.paid_out, before.claimed),
        claim_until: 0,
        ...(isClaimed && { unclaimed_since: null }),
      }
      if (!(await this.#rows.change(row, change))) continue
      const lost = row.charged - row.balance
      if (isClaimed && lost > 0)
        this.#logger.warn(
          { channel: row.id, lost },
          'payer withdrew micro-USDC that were not worth their claim',
        )
      return
    }
  }

  async #postpone({ id }: ChannelRow): Promise<void> {
    for (let row = await this.#rows.find(id); row; row = await this.#rows.find(id)) {
      const now = this.#clock().getTime()
      const waitMs = Math.min(Math.max((now - row.charged_at) / 2, LEASE_MS), MAX_WAIT_MS)
      if (await this.#rows.change(row, { claim_until: now + Math.round(waitMs) })) return
    }
  }
}

/** The charges that the chain can pay: a withdrawal may have left less. */
function payableOf({ charged, balance }: ChannelRow): number {
  return Math.min(charged, balance)
}

function toClaim(row: ChannelRow): VoucherClaim {
  return {
    voucher: { channel: configOf(row), maxClaimableAmount: `${row.signed_max}` },
    signature: row.signature,
    totalClaimed: `${payableOf(row)}`,
  }
}

function owedBy(row: ChannelRow): number {
  return payableOf(row) - row.paid_out
}
