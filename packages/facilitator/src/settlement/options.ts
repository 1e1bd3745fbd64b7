import type { Address, Hex } from '@tollbook/chain/hex'
import type { Logger } from '@tollbook/flow/logger'
import type { SentPayment } from '@tollbook/gate/payment'
import type { ChainAccess } from '@tollbook/gate/reading/chain-access'
import type { State } from '@tollbook/gate/state/state'

/** A settlement transaction in a block, whether its payments paid or not. */
export type MinedSettlement = {
  readonly payments: readonly SentPayment[]
  readonly gasUsed: bigint
  /** From sending to the receipt. */
  readonly tookMs: number
  readonly hasReverted: boolean
}

export type InProcessOptions = {
  readonly chain: ChainAccess
  /**
   * Private key of the wallet that sends settlements, 32 bytes, or the address of one that the signer holds. Several
   * processes may share it through `state`.
   */
  readonly key: Hex
  /** Signs for wallets whose key is not in this process, see `createRemoteSigner`. */
  readonly signerUrl?: string | undefined
  /** Keys of further wallets, so that transactions need not queue behind one account nonce; default none. */
  readonly moreKeys?: readonly Hex[]
  /** Called with every settlement transaction that was mined. */
  readonly onMined?: (mined: MinedSettlement) => void
  readonly state: State
  readonly logger: Logger
  /** How long settle() waits for a receipt before it returns `unknown`; default 30,000 ms. */
  readonly settleTimeoutMs?: number
  /** A transaction that has no receipt after this time is replaced with a higher fee; default 6,000 ms. */
  readonly bumpAfterMs?: number
  /** Maximum price of a unit of gas, in wei; default 20 gwei. */
  readonly maxFeePerGas?: bigint
  /** Maximum number of `exact` payments in one transaction (1 to 150); default 150. */
  readonly batchSize?: number
  /**
   * A nonce that a process took but did not use for this long is taken over by another process; default
   * 10,000 ms.
   */
  readonly leaseMs?: number
  /** Factories that may deploy a payer's wallet in the settlement (ERC-6492); default none. */
  readonly allowedFactories?: readonly Address[]
  /** Dollars per ETH, whole; default 0: gas costs nothing, as on the dev chain. */
  readonly ethUsd?: number
}
