import type { AtomicUsdc } from '../../money/usdc.ts'
import type { Address, Hex } from './payment.ts'

/** One transfer of native USDC, whatever its reason. */
export type Transfer = {
  readonly blockNumber: number
  /** Index of the log in its block; unique together with the block. */
  readonly logIndex: number
  /** Block time in epoch seconds. */
  readonly timestamp: number
  readonly transaction: Hex
  readonly sender: Address
  readonly recipient: Address
  /** Above zero: anyone may send nothing in the name of anybody. */
  readonly amount: AtomicUsdc
}
