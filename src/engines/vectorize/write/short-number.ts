/** Formats a number with a limited number of decimals and without trailing zeros. */
export function shortNumber(value: number, decimals = 2): string {
  const text = value.toFixed(decimals)
  const bare = text.includes('.') ? text.replace(/\.?0+$/, '') : text
  return bare.replace(/^(-?)0\./, '$1.').replace(/^-0?$/, '0') || '0'
}
