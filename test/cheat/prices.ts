/** What moving money costs. Assumptions, not measurements; docs/screens.md names them beside the table. */
export const PRICES = Object.freeze({
  /** Gas of Base in 2026, gwei. */
  gasPriceGwei: 0.005,
  ethUsd: 3_300,
  /** A transfer of USDC, and a settlement of `exact` by EIP-3009, alone in a transaction. */
  transferGas: 45_000,
  paymentGas: 86_000,
  /** Measured on the dev chain: 25 payments lent and given back in one transaction were 3.7 million gas. */
  lentPaymentGas: 148_000,
  /** Measured on the dev chain: a first deposit into a channel; a claim of one channel with its settlement. */
  depositGas: 136_000,
  claimGas: 68_000,
  swapGas: 150_000,
  /** What a lender lends for the length of a transaction without a fee. */
  flashLoanUsd: 1_000_000,
  /** Of the sum, for each direction: a pool of two stable coins, and one of USDC and ETH. */
  stablePoolFee: 0.000_1,
  ethPoolFee: 0.000_5,
  /** An exchange: the fee of a withdrawal, and the time from the deposit to the withdrawal. */
  withdrawalUsd: 0.1,
  exchangeHours: 0.5,
  /** A bridge without a fee, there and back. */
  bridgeHours: 0.4,
  /** What capital earns elsewhere in a year. */
  yearlyInterest: 0.05,
})

/** Dollars of an amount of gas. */
export function gasUsd(gas: number): number {
  return gas * PRICES.gasPriceGwei * 1e-9 * PRICES.ethUsd
}

/** What capital would have earned in this time, dollars. */
export function interestUsd(capitalUsd: number, hours: number): number {
  return (capitalUsd * PRICES.yearlyInterest * hours) / (365 * 24)
}
