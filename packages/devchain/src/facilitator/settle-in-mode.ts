import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { x402Facilitator } from '@x402/core/facilitator'
import type { PaymentPayload, PaymentRequirements, SettleResponse } from '@x402/core/types'
import type { Hex } from 'viem'
import type { RpcClient } from '../anvil/json-rpc.ts'

/** What a hostile facilitator does with a request to settle; it verifies honestly. README.md has each in detail. */
export const HOSTILE_MODES = [
  'honest',
  'slow',
  'lying-success',
  'lying-failure',
  'double',
  'lost-answer',
  'reorganisation',
] as const
export type HostileMode = (typeof HOSTILE_MODES)[number]

/** The body of `/verify` and `/settle` (x402 specifications v1 and v2, section 7). */
export type PaymentOrder = {
  readonly paymentPayload: PaymentPayload
  readonly paymentRequirements: PaymentRequirements
}

type ReorganisingChain = { readonly rpc: RpcClient; reorganise(depth: number): Promise<void> }

export type HostileParts = {
  readonly sdk: x402Facilitator
  /** Sends each settlement twice. */
  readonly doubleSdk: x402Facilitator
  readonly chain: ReorganisingChain
  readonly delayMs: number
}

/** Buyers and sellers take it for certain: honest facilitators find it before they send anything. */
const PRETENDED_REASON = 'insufficient_funds'

/**
 * Settles a payment, or says so. One that an honest facilitator would refuse is refused in each mode.
 * @returns null if the connection has to end without an answer.
 */
export async function settleInMode(
  mode: HostileMode,
  { sdk, doubleSdk, chain, delayMs }: HostileParts,
  { paymentPayload, paymentRequirements }: PaymentOrder,
  signal: AbortSignal,
): Promise<SettleResponse | null> {
  const settle = () => sdk.settle(paymentPayload, paymentRequirements)
  switch (mode) {
    case 'honest':
      return settle()
    case 'slow': {
      const settled = await settle()
      await wait(delayMs, undefined, { signal })
      return settled
    }
    case 'lying-success': {
      const { isValid, payer } = await sdk.verify(
        paymentPayload,
        toWhole(paymentPayload, paymentRequirements),
      )
      if (!isValid) return settle()
      const transaction = `0x${randomBytes(32).toString('hex')}`
      const { network } = paymentRequirements
      return { success: true, transaction, network, ...(payer !== undefined && { payer }) }
    }
    case 'lying-failure': {
      const settled = await settle()
      if (!settled.success) return settled
      return { ...settled, success: false, errorReason: PRETENDED_REASON, transaction: '' }
    }
    case 'double':
      return doubleSdk.settle(paymentPayload, paymentRequirements)
    case 'lost-answer': {
      const settled = await settle()
      return settled.success ? null : settled
    }
    case 'reorganisation': {
      const settled = await settle()
      if (settled.success) await removeBlockOf(settled.transaction as Hex, chain)
      return settled
    }
  }
  mode satisfies never
}

/** Under `upto` the requirements of a settlement have the charge, and the payer accepted the maximum. */
function toWhole(payload: PaymentPayload, requirements: PaymentRequirements): PaymentRequirements {
  if (requirements.scheme !== 'upto' || BigInt(requirements.amount) > BigInt(payload.accepted.amount))
    return requirements
  return { ...requirements, amount: payload.accepted.amount }
}

/** Again if a block was added between the two reads. */
async function removeBlockOf(transaction: Hex, { rpc, reorganise }: ReorganisingChain): Promise<void> {
  for (;;) {
    const head = await rpc.call<Hex>('eth_blockNumber')
    const receipt = await rpc.call<Receipt | null>('eth_getTransactionReceipt', [transaction])
    if (!receipt) return
    await reorganise(Math.max(1, Number(head) - Number(receipt.blockNumber) + 1))
  }
}

type Receipt = { readonly blockNumber: Hex }
