/** Chosen: a usual gas price on Base, and a usual price of ETH, in November 2026. */
const GAS_PRICE_GWEI = 0.005
const ETH_USD = 3_300
/** Chosen: one hour of one core on a rented machine. */
const CORE_HOUR_USD = 0.05

/** Assumptions behind every figure in dollars. */
export const PRICES = { gasPriceGwei: GAS_PRICE_GWEI, ethUsd: ETH_USD, coreHourUsd: CORE_HOUR_USD }

/** Dollars for units of gas at the assumed price. */
export function usdOfGas(gas: bigint): number {
  return Number(gas) * GAS_PRICE_GWEI * 1e-9 * ETH_USD
}

/** Dollars for wei at the assumed price of an ETH. */
export function usdOfWei(wei: bigint): number {
  return (Number(wei) / 1e18) * ETH_USD
}

/** Dollars for seconds of one core. */
export function usdOfCoreSeconds(seconds: number): number {
  return (seconds / 3_600) * CORE_HOUR_USD
}

/** Dollars for micro-USDC. */
export function usdOfUsdc(amount: bigint): number {
  return Number(amount) / 1e6
}
