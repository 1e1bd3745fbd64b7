import type { Address, Hex } from '@tollbook/chain/hex'
import type { AtomicUsdc } from '@tollbook/chain/usdc'

/** A transfer of native USDC, for whatever reason. */
export type Transfer = {
  readonly blockNumber: number
  /** Index of the log in its block; unique together with the block. */
  readonly logIndex: number
  /** Block time in epoch seconds. */
  readonly timestamp: number
  readonly transaction: Hex
  readonly sender: Address
  readonly recipient: Address
  /** Above zero: anyone can transfer zero in anyone's name. */
  readonly amount: AtomicUsdc
}
