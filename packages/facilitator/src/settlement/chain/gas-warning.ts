import type { Address } from '@tollbook/chain/hex'
import type { Logger } from '@tollbook/flow/logger'
import { type GasLeft, LOW_GAS_SETTLEMENTS } from '@tollbook/gate/facilitator'

const REPEAT_MS = 60 * 60_000

/** Warns the operator, hourly, of wallets whose gas will soon run out. */
export function createGasWarning(
  logger: Logger,
  now: () => number = () => performance.now(),
): (gasLeft: readonly GasLeft[]) => void {
  const warnedAt = new Map<Address, number>()
  return (gasLeft) => {
    for (const { address, settlements } of gasLeft) {
      const last = warnedAt.get(address)
      if (settlements >= LOW_GAS_SETTLEMENTS) warnedAt.delete(address)
      else if (last === undefined || now() - last >= REPEAT_MS) {
        warnedAt.set(address, now())
        logger.warn(
          { wallet: address, settlements: Number(settlements) },
          'the gas of this wallet runs out: send ETH to it',
        )
      }
    }
  }
}
