import type { SqlDialect } from '../format.ts'

export type CountOptions = {
  readonly dialect: SqlDialect | null
  /** Whether plain strings of PostgreSQL have backslash escapes. */
  readonly hasBackslashes: boolean
}

const PAIRS: Readonly<Record<string, string>> = { '[': ']', '{': '}', '(': ')', '<': '>' }

/**
 * Where the string or name ends that opens at `from`. A doubled quote ends one string and begins the next, which does
 * not matter here.
 */
export function endOfQuotes(text: string, from: number, { dialect, hasBackslashes }: CountOptions): number {
  const quote = text[from] ?? ''
  const before = text.slice(Math.max(0, from - 3), from)
  const prefix = /(?<![\w$])(?:E|NQ|Q|X)$/i.exec(before)?.[0].toUpperCase() ?? ''
  const isStandard = dialect !== 'mysql' && dialect !== 'postgres'
  if (quote === "'" && prefix.endsWith('Q') && isStandard) {
    const open = text[from + 1] ?? ''
    return endAfter(text, `${PAIRS[open] ?? open}'`, from + 2)
  }
  const isMysql = dialect === 'mysql' && quote !== '`' && prefix !== 'X'
  const isEscaped = isMysql || (quote === "'" && (prefix === 'E' || (hasBackslashes && prefix === '')))
  if (!isEscaped) return endAfter(text, quote, from + 1)
  for (let end = endAfter(text, quote, from + 1); ; end = endAfter(text, quote, end)) {
    if (end === text.length) return end
    let backslashes = 0
    while (text[end - 2 - backslashes] === '\\' && end - 2 - backslashes > from) backslashes += 1
    if (backslashes % 2 === 1) continue
    if (text[end] !== quote) return end
    end += 1
  }
}

/** Where the name in brackets ends that opens at `from`; the next character if it is a subscript. */
export function endOfBrackets(text: string, from: number): number {
  const isSubscript =
    /[\w$]/.test(text[from - 1] ?? '') && !/\bINTO$/i.test(text.slice(Math.max(0, from - 5), from))
  if (isSubscript || /['\]]/.test(text[from + 1] ?? '')) return from + 1
  let end = text.indexOf(']', from)
  while (end >= 0 && text[end + 1] === ']') end = text.indexOf(']', end + 2)
  return end < 0 ? from + 1 : end + 1
}

/** Where the comment ends that opens at `from`. */
export function endOfComment(text: string, from: number, isNested: boolean): number {
  if (!isNested) return endAfter(text, '*/', from + 2)
  const marks = /\/\*|\*\//g
  marks.lastIndex = from + 2
  for (let depth = 1; depth > 0; ) {
    const match = marks.exec(text)
    if (!match) return text.length
    depth += match[0] === '*/' ? -1 : 1
  }
  return marks.lastIndex
}

/** Where the dollar-quoted string ends that opens at `from`; the next character if there is none. */
export function endOfDollars(text: string, from: number): number {
  const tag = /\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/y
  tag.lastIndex = from
  const open = tag.exec(text)?.[0]
  return open === undefined ? from + 1 : endAfter(text, open, from + open.length)
}

function endAfter(text: string, wanted: string, from: number): number {
  const at = text.indexOf(wanted, from)
  return at < 0 ? text.length : at + wanted.length
}
