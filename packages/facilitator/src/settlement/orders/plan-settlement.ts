import { CONTRACTS } from '@tollbook/chain/contracts'
import type { Address, Hex } from '@tollbook/chain/hex'
import { type ContractCall, encodeAggregate } from '@tollbook/chain/multicall'
import type { AtomicUsdc } from '@tollbook/chain/usdc'
import { isErc6492 } from '@tollbook/gate/authorization/check-signature'
import { isByPermit2, type OfferedPayment } from '@tollbook/gate/payment'
import { encodePermit2Settle, encodeTransfer, proxyOf } from '@tollbook/gate/reading/calldata'

/** The one call that settles a payment, and its gas limit. */
export type SettlementPlan = {
  readonly call: ContractCall
  /**
   * A limit that holds for wallets without code; null if the payer's contract decides, so that the node
   * estimates it.
   */
  readonly gas: bigint | null
  /** Deploys the payer's wallet in the same transaction. */
  readonly factory?: Address
  /** Whether the call goes through Multicall3, which also succeeds if the payment fails. */
  readonly isAggregate: boolean
}

/** Measured on FiatTokenV2_2: 86,000, and 103,000 for a payee's first USDC; the rest is reserve. */
const TRANSFER_GAS = 150_000n
/** Measured: 100,000 and 157,000; the proxy, Permit2 and the token each add cold reads on Base. */
const PERMIT2_GAS = 220_000n
const PERMIT2_WITH_PERMIT_GAS = 280_000n
/**
 * Each further payment of a batch costs about 46,000, at worst 85,000 (a payer's and payee's first writes).
 */
const BATCH_BASE_GAS = 60_000n
const BATCH_ITEM_GAS = 85_000n
/** EIP-7825 rejects transactions with a gas limit above 2^24. */
const MAX_TRANSACTION_GAS = 16_777_216n

/**
 * Plans the settlement of one payment.
 * @returns a reason code if the wallet would first have to be deployed by a factory that is not allowed.
 */
export function planSettlement(
  payment: OfferedPayment,
  options: {
    readonly amount: AtomicUsdc
    readonly payerHasCode: boolean
    readonly allowedFactories: readonly Address[]
  },
): SettlementPlan | { readonly reason: string } {
  const isPlain = payment.signature.length === 132 && !options.payerHasCode
  const gas = isPlain ? plainGasOf(payment) : null
  if (isByPermit2(payment)) {
    // Permit2 does not support ERC-6492: the wallet must exist before.
    return {
      call: { to: proxyOf(payment).address, data: encodePermit2Settle(payment, options.amount) },
      gas,
      isAggregate: false,
    }
  }
  if (!isErc6492(payment))
    return {
      call: { to: payment.terms.asset, data: encodeTransfer(payment) },
      gas,
      isAggregate: false,
    }
  const deployment = readDeployment(payment.signature)
  if (!deployment) return { reason: 'invalid_exact_evm_failed_to_parse_signature' }
  const transfer: ContractCall = {
    to: payment.terms.asset,
    data: encodeTransfer(payment, deployment.signature),
  }
  if (options.payerHasCode) return { call: transfer, gas: null, isAggregate: false }
  // Any other factory could do anything with our gas.
  if (!options.allowedFactories.includes(deployment.factory.to))
    return { reason: 'eip6492_factory_not_allowed' }
  return {
    call: { to: CONTRACTS.multicall3, data: encodeAggregate([deployment.factory, transfer]) },
    gas: null,
    factory: deployment.factory.to,
    isAggregate: true,
  }
}

/** Gas limit that holds for a payer without code. */
export function plainGasOf(payment: OfferedPayment): bigint {
  if (!isByPermit2(payment)) return TRANSFER_GAS
  return payment.permit ? PERMIT2_WITH_PERMIT_GAS : PERMIT2_GAS
}

/**
 * Whether a payment may share a transaction with others: a wallet's code could use up the gas of all, and only the
 * calldata of a transaction of its own shows which nonce Permit2 used.
 */
export function isBatchable(payment: OfferedPayment, payerHasCode: boolean): boolean {
  return !isByPermit2(payment) && payment.signature.length === 132 && !payerHasCode
}

/** Plans one transaction for several batchable payments. */
export function planBatch(payments: readonly OfferedPayment[]): SettlementPlan {
  const calls = payments.map((payment) => ({ to: payment.terms.asset, data: encodeTransfer(payment) }))
  const gas = BATCH_BASE_GAS + BATCH_ITEM_GAS * BigInt(payments.length)
  return {
    call: { to: CONTRACTS.multicall3, data: encodeAggregate(calls) },
    gas: gas < MAX_TRANSACTION_GAS ? gas : MAX_TRANSACTION_GAS,
    isAggregate: true,
  }
}

/** Reads abi.encode(factory, factoryCalldata, signature) before the 32 bytes of the suffix (ERC-6492). */
function readDeployment(wrapped: Hex): { readonly factory: ContractCall; readonly signature: Hex } | null {
  const hex = wrapped.slice(2, -64)
  const bytesAt = (word: number): Hex | null => {
    const offset = numberAt(hex, word * 32)
    const length = offset === null ? null : numberAt(hex, offset)
    if (offset === null || length === null) return null
    const start = (offset + 32) * 2
    const bytes = hex.slice(start, start + length * 2)
    return bytes.length === length * 2 ? `0x${bytes}` : null
  }
  const calldata = bytesAt(1)
  const signature = bytesAt(2)
  if (!calldata || !signature || signature === '0x') return null
  return { factory: { to: `0x${hex.slice(24, 64)}`, data: calldata }, signature }
}

function numberAt(hex: string, byte: number): number | null {
  const word = hex.slice(byte * 2, byte * 2 + 64)
  if (word.length !== 64) return null
  const value = BigInt(`0x${word}`)
  return value < BigInt(hex.length) ? Number(value) : null
}
