import { setTimeout as wait } from 'node:timers/promises'
import type { PaymentPayload, PaymentRequirements, SettleResponse, VerifyResponse } from '@x402/core/types'
import type { Logger } from 'pino'
import type { Address, Hex } from '../chain/hex.ts'
import { createSemaphore } from '../flow/semaphore.ts'
import type { Problem } from '../http/problem.ts'
import { tooMany } from '../http/request/rate-limit.ts'
import { BASE } from '../money/network.ts'
import { refused } from '../payments/authorization/refusal.ts'
import { createDeposits } from '../payments/channels/deposits.ts'
import type { ChannelEscrow, SendOrder, SentFinding } from '../payments/facilitator.ts'
import type { PayerCredit } from '../payments/ledger/payer-credit.ts'
import { toQuietError } from '../payments/quiet-error.ts'
import { databaseTime, later } from '../state/database-time.ts'
import { createClaimTurns } from './claim-turns.ts'
import { createOperationId } from './operation-id.ts'
import { GAS_SPENT } from './payee-gas.ts'
import { isSelfPaid, type Policy, SELF_PAID } from './policy.ts'
import type { ChannelRequest } from './read-channel-request.ts'
import type { PaymentRequest } from './read-payment.ts'
import type { ChannelOperationTable } from './state/facilitator-tables.ts'
import type { State } from './state/state.ts'

/** Longer than a transaction is waited for, after which its row is released. */
const LEASE_MS = 45_000
const KEPT_MS = 8 * 24 * 60 * 60_000
const LOOK_MS = 50
const WAIT_MS = 20_000
/** Each reads the chain before its signatures are known to be right, or sends a transaction. */
const MAX_AT_ONCE = 32
/** Gas of a deposit on FiatTokenV2_2, with reserve. */
const DEPOSIT_GAS = 200_000n

export type ChannelOperations = {
  verify(
    request: PaymentRequest,
    read: ChannelRequest,
  ): Promise<VerifyResponse | { readonly problem: Problem }>
  /** Sends the transaction of a deposit, claim, refund or payout, or returns the answer of the same request before. */
  settle(
    request: PaymentRequest,
    read: ChannelRequest,
  ): Promise<SettleResponse | { readonly problem: Problem }>
}

/**
 * Payment channels of other sellers, with the facilitator of the SDK behind stored requests. Whatever is sent twice
 * takes effect once on the chain; the row makes its answer the same.
 */
export function createChannelOperations(parts: {
  readonly escrow: ChannelEscrow
  readonly credit: PayerCredit
  readonly state: State
  readonly policy: Policy
  /** Whether the payee has used up its gas. */
  readonly isSpent: (payTo: Address) => Promise<boolean>
  readonly closedProblem: () => Problem | null
  /** Maximum gas cost of a deposit, of claims or of a refund, in percent of them. */
  readonly maxGasPercent: number
  readonly logger: Logger
  readonly waitMs?: number
  readonly leaseMs?: number
}): ChannelOperations {
  const { escrow, state, policy, isSpent, closedProblem, maxGasPercent, logger } = parts
  const { waitMs = WAIT_MS, leaseMs = LEASE_MS } = parts
  const deposits = createDeposits(parts)
  const claims = createClaimTurns(parts)
  const operationId = createOperationId()
  const turns = createSemaphore({ max: MAX_AT_ONCE, maxWaiting: 0 })
  const now = () => databaseTime(state)

  async function findProblem(read: ChannelRequest): Promise<Problem | null> {
    const { payTo, parties, deposit } = read
    const refusals = parties.map((payer) => policy.findProblem({ payer, payTo }))
    const issue = closedProblem() ?? refusals.find((problem) => problem !== null) ?? null
    if (issue) return issue
    if (deposit !== null && isSelfPaid(read)) return SELF_PAID
    if (await isSpent(payTo)) return GAS_SPENT
    if (deposit === null) return claims.findProblem(read)
    const cost = await escrow.gasCost(DEPOSIT_GAS)
    return cost * 100n > deposit * BigInt(maxGasPercent) ? TOO_SMALL : null
  }

  /** The row, and whether this request works on it now. */
  async function take(
    id: string,
  ): Promise<{ readonly row: ChannelOperationTable; readonly isOurs: boolean }> {
    const values = {
      id,
      hashes: '',
      answer: null,
      version: 1,
      lease_until: later(now(), leaseMs),
      created_at: now(),
    }
    const inserted = await state.db
      .insertInto('channel_operation')
      .values(values)
      .onConflict((conflict) => conflict.doNothing())
      .returningAll()
      .executeTakeFirst()
    if (inserted) return { row: inserted, isOurs: true }
    const taken = await state.db
      .updateTable('channel_operation')
      .set(({ eb }) => ({ lease_until: later(now(), leaseMs), version: eb('version', '+', 1) }))
      .where('id', '=', id)
      .where('answer', 'is', null)
      .where('lease_until', '<', now())
      .returningAll()
      .executeTakeFirst()
    if (taken) return { row: taken, isOurs: true }
    const row = await state.db
      .selectFrom('channel_operation')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst()
    return row ? { row, isOurs: false } : take(id)
  }

  const mine = ({ id, version }: ChannelOperationTable) =>
    state.db.updateTable('channel_operation').where('id', '=', id).where('version', '=', version)

  /** A payout may be requested again with the same words, and a refused request may succeed later. */
  async function conclude(row: ChannelOperationTable, kind: ChannelRequest['kind'], answer: SettleResponse) {
    if (answer.success && kind !== 'settle') {
      await mine(row)
        .set({ answer: JSON.stringify(answer) })
        .execute()
      await state.db
        .deleteFrom('channel_operation')
        .where('created_at', '<', later(now(), -KEPT_MS))
        .execute()
    } else
      await state.db
        .deleteFrom('channel_operation')
        .where('id', '=', row.id)
        .where('version', '=', row.version)
        .execute()
    return answer
  }

  async function pending(row: ChannelOperationTable, hashes: readonly string[]): Promise<SettleResponse> {
    await mine(row).set({ lease_until: 0 }).execute()
    return toPending(hashes.at(-1))
  }

  /** What failed before a transaction may be requested again at once. */
  async function giveUp(row: ChannelOperationTable, error: unknown): Promise<never> {
    await mine(row).where('hashes', '=', row.hashes).set({ lease_until: 0 }).execute()
    throw error
  }

  async function work(
    row: ChannelOperationTable,
    request: PaymentRequest,
    read: ChannelRequest,
  ): Promise<SettleResponse | { readonly problem: Problem }> {
    const hashes = row.hashes === '' ? [] : (row.hashes.split(',') as Hex[])
    // A payout may be requested again with the same words, as another payment.
    const nonce = `${row.id as Hex}${row.created_at.toString(16)}` as const
    const payment = { payer: read.payer, payTo: read.payTo, nonce }
    /** The answer that the transactions sent so far show, or why there is none. */
    const look = async (): Promise<SettleResponse | Exclude<SentFinding['found'], 'mined'>> => {
      if (hashes.length === 0) return 'gone'
      const sent = await escrow.findSent(payment, hashes)
      return sent.found === 'mined' ? toMined(read, sent.transaction) : sent.found
    }
    const before = await look()
    if (before === 'pending') return pending(row, hashes)
    if (typeof before !== 'string') return conclude(row, read.kind, before)
    const problem = await findProblem(read)
    if (problem) {
      await conclude(row, read.kind, toFailed(String(problem.members?.reason ?? problem.code)))
      return { problem }
    }
    let isSigned = false
    let isLost = false
    const order: SendOrder = {
      payment,
      beforeSend: async (hash) => {
        if (hash) hashes.push(hash)
        const change = { hashes: hashes.join(), lease_until: later(now(), leaseMs) }
        const leased = await mine(row).set(change).returning('lease_until').executeTakeFirst()
        isLost = !leased
        if (!leased) throw new Error('another process has taken this request')
        isSigned = true
        return leased.lease_until
      },
    }
    const answer = await (read.deposit === null
      ? escrow.settle(...toSdk(request), order)
      : deposits.send(read.payer, ...toSdk(request), order))
    if (answer.success) return conclude(row, read.kind, answer)
    const after = await look()
    if (after === 'pending') return pending(row, hashes)
    if (after === 'gone' && isLost) return toPending()
    // Nothing has a hash that was not mined. During the lease, the store may still execute the statement that stores
    // the transaction.
    if (after === 'gone' && isSigned && answer.transaction === '') return toPending(hashes.at(-1))
    return conclude(row, read.kind, typeof after === 'string' ? answer : after)
  }

  async function toMined(read: ChannelRequest, transaction: Hex): Promise<SettleResponse> {
    const { channel, payer, deposit } = read
    const whole = { success: true, transaction, network: BASE.id } as const
    if (!channel) return whole
    const { balance, totalClaimed, withdrawRequestedAt, refundNonce } = await escrow.read(channel)
    const channelState = {
      channelId: channel,
      balance: `${balance}`,
      totalClaimed: `${totalClaimed}`,
      withdrawRequestedAt,
      refundNonce: `${refundNonce}`,
    }
    return { ...whole, payer, ...(deposit !== null && { amount: `${deposit}` }), extra: { channelState } }
  }

  async function inTurn<Result>(act: () => Promise<Result>): Promise<Result | { readonly problem: Problem }> {
    const release = turns.tryAcquire()
    if (!release) return { problem: tooMany(1) }
    try {
      return await act()
    } catch (error) {
      logger.warn({ err: toQuietError(error) }, 'a payment channel could not be read or settled')
      return { problem: UNREADABLE }
    } finally {
      release()
    }
  }

  return {
    verify: (request, read) =>
      inTurn(async () => {
        const problem = await findProblem(read)
        return problem ? { problem } : escrow.verify(...toSdk(request))
      }),
    settle: async (request, read) => {
      const id = await operationId(read)
      for (const startedMs = performance.now(); ; await wait(LOOK_MS)) {
        // Requests that wait for the same one elsewhere leave their turn to others.
        const answer = await inTurn(async () => {
          const { row, isOurs } = await take(id)
          if (row.answer) return JSON.parse(row.answer) as SettleResponse
          if (isOurs)
            return claims.inTurn(read, () => work(row, request, read)).catch((error) => giveUp(row, error))
          return performance.now() - startedMs > waitMs ? toPending(row.hashes.split(',').at(-1)) : null
        })
        if (answer) return answer
      }
    },
  }
}

/** The reader has compared both with what the SDK expects. */
function toSdk({
  paymentPayload,
  paymentRequirements,
}: PaymentRequest): [PaymentPayload, PaymentRequirements] {
  return [paymentPayload as unknown as PaymentPayload, paymentRequirements as unknown as PaymentRequirements]
}

function toFailed(errorReason: string, transaction = ''): SettleResponse {
  return { success: false, errorReason, transaction, network: BASE.id }
}

function toPending(transaction = ''): SettleResponse {
  return toFailed('settlement_pending', transaction)
}

const TOO_SMALL = refused('the deposit is too small for its gas', 'deposit_below_gas')
const UNREADABLE: Problem = {
  code: 'unavailable',
  detail: 'The payment channel cannot be read right now. Repeat the request.',
  retryAfterSeconds: 5,
}
