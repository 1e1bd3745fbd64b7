/** Decimal places of ETH. */
const DECIMALS = 18

/** An amount of wei in ETH: `1500000000000000n` is `0.0015`. */
export function formatEther(wei: bigint): string {
  const digits = (wei < 0n ? -wei : wei).toString().padStart(DECIMALS + 1, '0')
  const fraction = digits.slice(-DECIMALS).replace(/0+$/, '')
  return `${wei < 0n ? '-' : ''}${digits.slice(0, -DECIMALS)}${fraction === '' ? '' : `.${fraction}`}`
}
