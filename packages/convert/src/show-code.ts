/** A code unit formatted for an error message. */
export function showCode(code: number): string {
  const isPlain = code > 0x20 && code < 0x7f
  return isPlain
    ? JSON.stringify(String.fromCharCode(code))
    : `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
}
