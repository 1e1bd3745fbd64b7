import type { Hex } from '@tollbook/chain/hex'
import type { AtomicUsdc } from '@tollbook/chain/usdc'
import type { Logger } from '@tollbook/flow/logger'
import type { BurntGas, FailureCause, Settlement } from '../facilitator.ts'
import type { PaymentEvent } from '../payment-event.ts'
import { toQuietError } from '../quiet-error.ts'
import type { CallRows } from './call-rows.ts'
import type { Exposure } from './exposure.ts'
import type { PayerCodes } from './payer-codes.ts'
import type { PayerCredit } from './payer-credit.ts'
import type { SettleCall } from './settle-call.ts'

/** An unknown outcome is first checked after this time. */
const FIRST_CHECK_MS = 2_000

/** Records how settlements ended: in the row of the call, and in what is known about its payer. */
export class SettlementOutcomes {
  readonly #calls: CallRows
  readonly #exposure: Exposure
  readonly #payerCodes: PayerCodes
  readonly #credit: PayerCredit
  readonly #logger: Logger
  readonly #clock: () => Date
  readonly #count: (event: PaymentEvent) => void

  constructor(parts: {
    readonly calls: CallRows
    readonly exposure: Exposure
    readonly payerCodes: PayerCodes
    readonly credit: PayerCredit
    readonly logger: Logger
    readonly clock: () => Date
    readonly count: (event: PaymentEvent) => void
  }) {
    this.#calls = parts.calls
    this.#exposure = parts.exposure
    this.#payerCodes = parts.payerCodes
    this.#credit = parts.credit
    this.#logger = parts.logger
    this.#clock = parts.clock
    this.#count = parts.count
  }

  async succeed(
    call: SettleCall,
    found: {
      readonly transaction: Hex | null
      readonly amount: AtomicUsdc
      readonly gasCost?: AtomicUsdc | undefined
    },
    wasFound: boolean,
  ): Promise<Settlement> {
    const { transaction, amount, gasCost } = found
    const { service, endpoint, settledState: state, keepsOwner } = call
    this.#count({ kind: 'settled', service, endpoint, amount, gasCost })
    const settledAt = this.#clock().getTime()
    // Money has moved: if the row cannot be updated now, the recovery reads the outcome from the chain.
    await Promise.all([
      this.#exposure.noteSettled(call.payment, amount),
      this.#credit.noteSettled(call.payment.payer),
      this.#calls.settled(call.lease, { transaction, amount, settledAt, gasCost, state, keepsOwner }),
    ]).catch((error: unknown) =>
      this.#logger.error({ err: toQuietError(error), call: call.lease.id }, 'settled, but not recorded'),
    )
    return { outcome: 'settled', transaction, amount, wasFound, settledAt }
  }

  async fail(call: SettleCall, reason: string, cause: FailureCause): Promise<Settlement> {
    await this.strike(call, cause)
    await this.#exposure.noteUnsettled(call.payment)
    await this.#calls.release(call.lease, reason, true)
    this.#countCall(call, 'settlement_failed')
    return { outcome: 'failed', reason, cause }
  }

  /** The recovery reads the outcome from the chain. */
  async markUnknown(call: SettleCall, transaction: Hex | null, reason: string): Promise<Settlement> {
    await this.#calls.unknown(call.lease, reason, this.#clock().getTime() + FIRST_CHECK_MS)
    this.#countCall(call, 'settlement_unknown')
    return { outcome: 'unknown', transaction, reason }
  }

  /** A failure that is not ours is a strike; one that cost a transaction is all of them at once. */
  async strike(call: SettleCall, cause: FailureCause): Promise<void> {
    if (cause === 'operator') return
    await this.#exposure.strike(call.lease, call.payment.payer, cause === 'reverted')
    this.#countCall(call, 'struck')
  }

  /** Charges gas that a reverted settlement has burnt to the payer, and to its code if it has one. */
  async burn(call: SettleCall, { gas, codeHash }: BurntGas): Promise<void> {
    const { service, endpoint, lease, payment } = call
    await this.#credit.noteReverted(payment.payer)
    if (codeHash || payment.permit) await this.#payerCodes.burn(lease, codeHash, gas)
    this.#count({ kind: 'gas_burnt', service, endpoint, gas })
  }

  #countCall(
    { service, endpoint }: SettleCall,
    kind: 'settlement_failed' | 'settlement_unknown' | 'struck',
  ): void {
    this.#count({ kind, service, endpoint })
  }
}
