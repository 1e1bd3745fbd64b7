export type Token = {
  readonly kind: 'number' | 'name' | 'symbol' | 'end'
  /** The symbols and words of operators, in their canonical spelling; numbers without grouping. */
  readonly text: string
  /** From 1. */
  readonly column: number
  readonly isAfterSpace: boolean
}

/** The token at an index, which must exist. */
export function tokenOf(tokens: readonly Token[], at: number): Token {
  const token = tokens[at]
  if (!token) throw new RangeError(`there is no token ${at}`)
  return token
}
