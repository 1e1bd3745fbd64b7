import type { AtomicUsdc } from '@tollbook/chain/usdc'
import type { TransactionReceipt } from '@tollbook/gate/reading/chain'

/** Wei per ETH, divided by micro-USDC per dollar. */
const WEI_PER_MICRO = 10n ** 18n / 10n ** 6n

/**
 * What gas costs in micro-USDC, rounded up; the fee of an OP chain for its data on L1 is not in it.
 * @param fee wei for a unit of gas. @param ethUsd dollars for an ETH.
 * @example toGasCost(86_000n, 5_000_000n, 3_300) // 1_419n: 86,000 gas at 0.005 gwei
 */
export function toGasCost(gas: bigint, fee: bigint, ethUsd: number): AtomicUsdc {
  return toMicroUsd(gas * fee, ethUsd)
}

/** What a mined transaction cost each of its payments, with its data on L1, in micro-USDC, rounded up. */
export function toCostOfEach(
  receipt: Pick<TransactionReceipt, 'gasUsed' | 'effectiveGasPrice' | 'l1Fee'>,
  payments: number,
  ethUsd: number,
): AtomicUsdc {
  const wei = BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice) + BigInt(receipt.l1Fee ?? 0)
  const count = BigInt(payments)
  return toMicroUsd((wei + count - 1n) / count, ethUsd)
}

function toMicroUsd(wei: bigint, ethUsd: number): AtomicUsdc {
  return (wei * BigInt(ethUsd) + WEI_PER_MICRO - 1n) / WEI_PER_MICRO
}
