/** A number with a few decimals at most, without zeros that say nothing. */
export function shortNumber(value: number, decimals = 2): string {
  const text = value.toFixed(decimals)
  const bare = text.includes('.') ? text.replace(/\.?0+$/, '') : text
  return bare.replace(/^(-?)0\./, '$1.').replace(/^-0?$/, '0') || '0'
}
