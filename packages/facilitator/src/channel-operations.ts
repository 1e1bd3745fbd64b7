import { setTimeout as wait } from 'node:timers/promises'
import type { Hex } from '@tollbook/chain/hex'
import { createDeposits, type Deposits } from '@tollbook/channels/deposits'
import type { Logger } from '@tollbook/flow/logger'
import { createSemaphore } from '@tollbook/flow/semaphore'
import { refused } from '@tollbook/gate/authorization/refusal'
import type { PayerCredit } from '@tollbook/gate/calls/payer-credit'
import type { ChannelEscrow, SendOrder, SentFinding } from '@tollbook/gate/facilitator'
import type { SentPayment } from '@tollbook/gate/payment'
import { toQuietError } from '@tollbook/gate/quiet-error'
import type {
  AnyRequirements,
  PaymentPayload,
  SettleResponse,
  VerifyResponse,
} from '@tollbook/gate/x402-messages'
import type { Problem } from '@tollbook/http/problem'
import { tooMany } from '@tollbook/http/request/rate-limit'
import { ChannelOperationRows } from './channel-operation-rows.ts'
import { type ClaimTurns, createClaimTurns } from './claim-turns.ts'
import { createOperationId } from './operation-id.ts'
import { GAS_SPENT, type PayeeGas } from './payee-gas.ts'
import { isSelfPaid, type Policy, SELF_PAID } from './policy.ts'
import type { ChannelRequest } from './read-channel-request.ts'
import type { PaymentRequest } from './read-payment.ts'
import type { ChannelOperationTable } from './state/facilitator-tables.ts'
import type { State } from './state/state.ts'

/** Longer than a transaction is waited for, after which its row is released. */
const LEASE_MS = 45_000
const LOOK_MS = 50
const WAIT_MS = 20_000
/** Each reads the chain before its signatures are known to be right, or sends a transaction. */
const MAX_AT_ONCE = 32
/** Gas of a deposit on FiatTokenV2_2, with reserve. */
const DEPOSIT_GAS = 200_000n

/**
 * Payment channels of other sellers, with the facilitator of the SDK behind stored requests. Whatever is sent twice
 * takes effect once on the chain; the row makes its answer the same.
 */
export class ChannelOperations {
  readonly #escrow: ChannelEscrow
  readonly #policy: Policy
  readonly #payeeGas: PayeeGas
  readonly #closedProblem: () => Problem | null
  readonly #maxGasPercent: number
  readonly #logger: Logger
  readonly #waitMs: number
  readonly #rows: ChannelOperationRows
  readonly #deposits: Deposits
  readonly #claims: ClaimTurns
  readonly #operationId: (read: ChannelRequest) => Promise<Hex>
  readonly #turns = createSemaphore({ max: MAX_AT_ONCE, maxWaiting: 0 })

  constructor(parts: {
    readonly escrow: ChannelEscrow
    readonly credit: PayerCredit
    readonly state: State
    readonly policy: Policy
    readonly payeeGas: PayeeGas
    readonly closedProblem: () => Problem | null
    /** Maximum gas cost of a deposit, of claims or of a refund, in percent of them. */
    readonly maxGasPercent: number
    readonly logger: Logger
    /** How long a request waits for the same one elsewhere; default 20,000. */
    readonly waitMs: number | undefined
    readonly leaseMs: number | undefined
  }) {
    const { escrow, credit, state, maxGasPercent } = parts
    this.#escrow = escrow
    this.#policy = parts.policy
    this.#payeeGas = parts.payeeGas
    this.#closedProblem = parts.closedProblem
    this.#maxGasPercent = maxGasPercent
    this.#logger = parts.logger
    this.#waitMs = parts.waitMs ?? WAIT_MS
    this.#rows = new ChannelOperationRows({ state, leaseMs: parts.leaseMs ?? LEASE_MS })
    this.#deposits = createDeposits({ escrow, credit })
    this.#claims = createClaimTurns({ escrow, maxGasPercent })
    this.#operationId = createOperationId(escrow.network)
  }

  verify(
    request: PaymentRequest,
    read: ChannelRequest,
  ): Promise<VerifyResponse | { readonly problem: Problem }> {
    return this.#inTurn(async () => {
      const problem = await this.#findProblem(read)
      return problem ? { problem } : this.#escrow.verify(...toSdk(request))
    })
  }

  /** Sends the transaction of a deposit, claim, refund or payout, or returns the answer of the same request before. */
  async settle(request: PaymentRequest, read: ChannelRequest): Promise<Outcome> {
    const id = await this.#operationId(read)
    for (const startedMs = performance.now(); ; await wait(LOOK_MS)) {
      // Requests that wait for the same one elsewhere leave their turn to others.
      const answer = await this.#inTurn(async () => {
        const { row, isOurs } = await this.#rows.take(id)
        if (row.answer) return JSON.parse(row.answer) as SettleResponse
        if (isOurs) return this.#workInTurn(row, request, read)
        return performance.now() - startedMs > this.#waitMs
          ? this.#toPending(row.hashes.split(',').at(-1))
          : null
      })
      if (answer) return answer
    }
  }

  async #inTurn<Result>(act: () => Promise<Result>): Promise<Result | { readonly problem: Problem }> {
    const release = this.#turns.tryAcquire()
    if (!release) return { problem: tooMany(1) }
    try {
      return await act()
    } catch (error) {
      this.#logger.warn({ err: toQuietError(error) }, 'a payment channel could not be read or settled')
      return { problem: UNREADABLE }
    } finally {
      release()
    }
  }

  async #findProblem(read: ChannelRequest): Promise<Problem | null> {
    const { payTo, parties, deposit } = read
    const refusals = parties.map((payer) => this.#policy.findProblem({ payer, payTo }))
    const issue = this.#closedProblem() ?? refusals.find((problem) => problem !== null) ?? null
    if (issue) return issue
    if (deposit !== null && isSelfPaid(read)) return SELF_PAID
    if (await this.#payeeGas.isSpent(payTo)) return GAS_SPENT
    if (deposit === null) return this.#claims.findProblem(read)
    const cost = await this.#escrow.gasCost(DEPOSIT_GAS)
    return cost * 100n > deposit * BigInt(this.#maxGasPercent) ? TOO_SMALL : null
  }

  async #workInTurn(
    row: ChannelOperationTable,
    request: PaymentRequest,
    read: ChannelRequest,
  ): Promise<Outcome> {
    try {
      return await this.#claims.inTurn(read, () => this.#work(row, request, read))
    } catch (error) {
      // What failed before a transaction may be requested again at once.
      await this.#rows.releaseUnsent(row)
      throw error
    }
  }

  async #work(row: ChannelOperationTable, request: PaymentRequest, read: ChannelRequest): Promise<Outcome> {
    const sending = this.#openSending(row, read)
    const before = await this.#look(sending, read)
    if (before === 'pending') return this.#pend(sending)
    if (typeof before !== 'string') return this.#conclude(row, read.kind, before)
    const problem = await this.#findProblem(read)
    if (problem) {
      await this.#conclude(row, read.kind, this.#toFailed(String(problem.members?.reason ?? problem.code)))
      return { problem }
    }
    const order: SendOrder = {
      payment: sending.payment,
      beforeSend: (hash) => this.#noteSending(sending, hash),
    }
    const answer = await (read.deposit === null
      ? this.#escrow.settle(...toSdk(request), order)
      : this.#deposits.send(read.payer, ...toSdk(request), order))
    if (answer.success) return this.#conclude(row, read.kind, answer)
    const after = await this.#look(sending, read)
    if (after === 'pending') return this.#pend(sending)
    if (after === 'gone' && sending.isLost) return this.#toPending()
    // Nothing has a hash that was not mined. During the lease, the store may still execute the statement that stores
    // the transaction.
    if (after === 'gone' && sending.isSigned && answer.transaction === '')
      return this.#toPending(sending.hashes.at(-1))
    return this.#conclude(row, read.kind, typeof after === 'string' ? answer : after)
  }

  #openSending(row: ChannelOperationTable, { payer, payTo }: ChannelRequest): Sending {
    const hashes = row.hashes === '' ? [] : (row.hashes.split(',') as Hex[])
    // A payout may be requested again with the same words, as another payment.
    const nonce = `${row.id as Hex}${row.created_at.toString(16)}` as const
    return { row, hashes, payment: { payer, payTo, nonce }, isSigned: false, isLost: false }
  }

  /** The answer that the transactions sent so far show, or why there is none. */
  async #look(
    { payment, hashes }: Sending,
    read: ChannelRequest,
  ): Promise<SettleResponse | Exclude<SentFinding['found'], 'mined'>> {
    if (hashes.length === 0) return 'gone'
    const sent = await this.#escrow.findSent(payment, hashes)
    return sent.found === 'mined' ? this.#toMined(read, sent.transaction) : sent.found
  }

  /** Stores a transaction before it is sent. @throws Error if the row is no longer ours. */
  async #noteSending(sending: Sending, hash: Hex | null): Promise<number> {
    if (hash) sending.hashes.push(hash)
    const leaseUntil = await this.#rows.noteSending(sending.row, sending.hashes)
    sending.isLost = leaseUntil === null
    if (leaseUntil === null) throw new Error('another process has taken this request')
    sending.isSigned = true
    return leaseUntil
  }

  async #pend({ row, hashes }: Sending): Promise<SettleResponse> {
    await this.#rows.release(row)
    return this.#toPending(hashes.at(-1))
  }

  /** A payout may be requested again with the same words, and a refused request may succeed later. */
  async #conclude(
    row: ChannelOperationTable,
    kind: ChannelRequest['kind'],
    answer: SettleResponse,
  ): Promise<SettleResponse> {
    if (answer.success && kind !== 'settle') await this.#rows.answer(row, answer)
    else await this.#rows.remove(row)
    return answer
  }

  async #toMined(read: ChannelRequest, transaction: Hex): Promise<SettleResponse> {
    const { channel, payer, deposit } = read
    const whole = { success: true, transaction, network: this.#escrow.network.id } as const
    if (!channel) return whole
    const { balance, totalClaimed, withdrawRequestedAt, refundNonce } = await this.#escrow.read(channel)
    const channelState = {
      channelId: channel,
      balance: `${balance}`,
      totalClaimed: `${totalClaimed}`,
      withdrawRequestedAt,
      refundNonce: `${refundNonce}`,
    }
    return { ...whole, payer, ...(deposit !== null && { amount: `${deposit}` }), extra: { channelState } }
  }

  #toFailed(errorReason: string, transaction = ''): SettleResponse {
    return { success: false, errorReason, transaction, network: this.#escrow.network.id }
  }

  #toPending(transaction = ''): SettleResponse {
    return this.#toFailed('settlement_pending', transaction)
  }
}

type Outcome = SettleResponse | { readonly problem: Problem }

/** A run of an operation, and what it has sent. */
type Sending = {
  readonly row: ChannelOperationTable
  readonly payment: SentPayment
  readonly hashes: Hex[]
  isSigned: boolean
  /** Whether another process has taken the row. */
  isLost: boolean
}

/** The reader has compared both with what the SDK expects. */
function toSdk({ paymentPayload, paymentRequirements }: PaymentRequest): [PaymentPayload, AnyRequirements] {
  return [paymentPayload as unknown as PaymentPayload, paymentRequirements as unknown as AnyRequirements]
}

const TOO_SMALL = refused('the deposit is too small for its gas', 'deposit_below_gas')
const UNREADABLE: Problem = {
  code: 'unavailable',
  detail: 'The payment channel cannot be read right now. Repeat the request.',
  retryAfterSeconds: 5,
}
