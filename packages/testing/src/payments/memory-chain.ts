import { randomBytes } from 'node:crypto'
import type { Address, Hex } from '@tollbook/chain/hex'
import type {
  ChainFinding,
  ChainReader,
  Facilitator,
  FailureCause,
  Settlement,
  SettlementCost,
  SettleOrder,
  Verification,
} from '@tollbook/gate/facilitator'
import type { OfferedPayment } from '@tollbook/gate/payment'

export type Transfer = {
  readonly nonce: string
  readonly payer: string
  readonly amount: bigint
  readonly transaction: Hex
}

/** Where a process can be blocked forever, as if it had been killed there. */
export type Place = 'verify' | 'handler' | 'settle' | 'sent' | 'mined'

/** One process's view of the chain. Tests set its behaviour, which lasts until it is changed. */
export type Link = {
  readonly facilitator: Facilitator
  readonly chainReader: ChainReader
  /** Blocks forever from this place on. */
  dieAt: Place | null
  /** Awaited at a place, to hold a call there. */
  pause: (place: Place) => Promise<void>
  /** `lost`: the facilitator's answer never arrives; `dropped`: nor does its transaction reach the chain. */
  answers: 'told' | 'lost' | 'dropped'
  /** The facilitator's message about a transfer that the chain rejects. */
  revertCause: FailureCause
  /** The gas that a rejected transfer cost; null: nothing that the facilitator pays for. */
  burntGas: bigint | null
  isHealthy: boolean
  /** The gas that the facilitator reports; null: someone else pays for it. */
  settlementCost: SettlementCost | null
  readonly settleCalls: { nonce: string; amount: bigint }[]
  verifications: number
  reach(place: Place): Promise<void>
}

/**
 * An in-memory chain that records what a real one records about payments: balances, and nonces that are used
 * once. It is behind the real ports, at the edge.
 */
export class MemoryChain {
  readonly transfers: Transfer[] = []
  readonly balances = new Map<string, bigint>()
  readonly contracts = new Set<string>()
  readonly noAllowance = new Set<string>()
  /** Transactions that were mined and moved nothing. */
  readonly reverted = new Set<Hex>()
  readonly #used = new Map<string, Transfer | 'cancelled'>()
  readonly now: () => number
  isFinal = true

  /** @param now epoch seconds of the newest block. */
  constructor(now: () => number) {
    this.now = now
  }

  fund(payer: string, amount: bigint): void {
    this.balances.set(payer.toLowerCase(), amount)
  }

  balanceOf(payer: string): bigint {
    return this.balances.get(payer.toLowerCase()) ?? 0n
  }

  cancel(payer: string, nonce: string): void {
    const key = keyOf(payer, nonce)
    if (!this.#used.has(key)) this.#used.set(key, 'cancelled')
  }

  /** Anyone may submit a signed transfer. Returns why it reverts, or null. */
  submit(payment: OfferedPayment, amount: bigint, transaction: Hex): string | null {
    const key = keyOf(payment.payer, payment.nonce)
    const balance = this.balanceOf(payment.payer)
    if (this.#used.has(key)) return 'invalid_exact_evm_nonce_already_used'
    if (this.now() >= payment.validBefore) return 'authorization_expired'
    if (balance < amount) return 'insufficient_funds'
    this.balances.set(payment.payer.toLowerCase(), balance - amount)
    const transfer = { nonce: payment.nonce, payer: payment.payer, amount, transaction }
    this.#used.set(key, transfer)
    this.transfers.push(transfer)
    return null
  }

  find(payment: OfferedPayment): ChainFinding {
    const use = this.#used.get(keyOf(payment.payer, payment.nonce))
    if (use === 'cancelled') return { found: 'cancelled', isFinal: this.isFinal }
    if (use)
      return { found: 'settled', transaction: use.transaction, amount: use.amount, isFinal: this.isFinal }
    return this.now() >= payment.validBefore ? { found: 'expired' } : { found: 'open' }
  }

  /** The chain as one process reaches it. */
  connect(facilitatorAddress: Address): Link {
    const link: Link = {
      dieAt: null,
      pause: async () => {},
      answers: 'told',
      revertCause: 'payer',
      burntGas: null,
      isHealthy: true,
      settlementCost: null,
      settleCalls: [],
      verifications: 0,
      reach: async (place) => {
        await link.pause(place)
        if (link.dieAt === place) await new Promise(() => {})
      },
      facilitator: {
        address: facilitatorAddress,
        health: async () => ({
          isHealthy: link.isHealthy,
          detail: link.isHealthy ? 'ok' : 'gas is low',
          ...(link.settlementCost && { settlementCost: link.settlementCost }),
        }),
        verify: async (payment) => {
          link.verifications += 1
          await link.reach('verify')
          return this.#verify(payment)
        },
        settle: async (order) => this.#settle(link, order),
      },
      chainReader: {
        balanceOf: async (payer) => this.balanceOf(payer),
        allowanceOf: async (payer) => (this.noAllowance.has(payer.toLowerCase()) ? 0n : 2n ** 256n - 1n),
        hasCode: async (payer) => this.contracts.has(payer.toLowerCase()),
        findSettlement: async (payment) => this.find(payment),
        hasReverted: async (transaction) => this.reverted.has(transaction),
      },
    }
    return link
  }

  #verify(payment: OfferedPayment): Verification {
    const payer = payment.payer.toLowerCase()
    if (this.#used.has(keyOf(payer, payment.nonce)))
      return { isValid: false, reason: 'invalid_exact_evm_nonce_already_used', kind: 'other' }
    if (payment.scheme === 'upto' && this.noAllowance.has(payer))
      return { isValid: false, reason: 'permit2_allowance_required', kind: 'allowance' }
    if (this.balanceOf(payer) < payment.signedAmount)
      return { isValid: false, reason: 'insufficient_funds', kind: 'balance' }
    return { isValid: true }
  }

  async #settle(link: Link, order: SettleOrder): Promise<Settlement> {
    const { payment, amount, beforeSend } = order
    link.settleCalls.push({ nonce: payment.nonce, amount })
    await link.reach('settle')
    const transaction = `0x${randomBytes(32).toString('hex')}` as const
    try {
      await beforeSend(transaction)
    } catch {
      return { outcome: 'failed', reason: 'not_recorded', cause: 'operator' }
    }
    await link.reach('sent')
    if (link.answers === 'dropped') return { outcome: 'unknown', transaction, reason: 'timeout' }
    const revert = this.submit(payment, amount, transaction)
    if (revert !== null) this.reverted.add(transaction)
    await link.reach('mined')
    if (link.answers === 'lost') return { outcome: 'unknown', transaction, reason: 'timeout' }
    if (revert === null) return { outcome: 'settled', transaction, amount }
    const burnt = link.burntGas === null ? {} : { burnt: { codeHash: null, gas: link.burntGas } }
    return { outcome: 'failed', reason: revert, cause: link.revertCause, ...burnt }
  }
}

function keyOf(payer: string, nonce: string): string {
  return `${payer}/${nonce}`.toLowerCase()
}
