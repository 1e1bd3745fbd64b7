import type { AtomicUsdc } from '../../../money/usdc.ts'

/** Wei per ETH, divided by micro-USDC per dollar. */
const WEI_PER_MICRO = 10n ** 18n / 10n ** 6n

/**
 * What gas costs in micro-USDC, rounded up; the fee of an OP chain for its data on L1 is not in it.
 * @param fee wei for a unit of gas. @param ethUsd dollars for an ETH.
 * @example toGasCost(86_000n, 5_000_000n, 3_300) // 1_419n: 86,000 gas at 0.005 gwei
 */
export function toGasCost(gas: bigint, fee: bigint, ethUsd: number): AtomicUsdc {
  const wei = gas * fee * BigInt(ethUsd)
  return (wei + WEI_PER_MICRO - 1n) / WEI_PER_MICRO
}
