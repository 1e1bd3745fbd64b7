export function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}

export function isWordStart(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || code === 0x5f || code >= 0x80
}

export function isWordPart(code: number): boolean {
  return isWordStart(code) || isDigit(code) || code === 0x24
}
