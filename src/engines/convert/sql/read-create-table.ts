import { readName, readTableName } from './read-name.ts'
import type { SqlTokens, Token } from './sql-tokens.ts'

export type TableDefinition = {
  readonly name: string
  readonly columns: readonly string[]
  /** The first word of each column's type in lower case, or an empty string. */
  readonly types: readonly string[]
}

/** Keywords that start a table constraint instead of a column. */
const CONSTRAINTS = new Set([
  'CONSTRAINT',
  'PRIMARY',
  'UNIQUE',
  'FOREIGN',
  'CHECK',
  'EXCLUDE',
  'LIKE',
  'PERIOD',
])
/** Keywords that start an index in MySQL, but may also be column names. */
const INDEXES = new Set(['KEY', 'INDEX', 'FULLTEXT', 'SPATIAL'])

/** Continues after `TABLE` and stops at the closing parenthesis of the column list; null if there is no column list. */
export function readCreateTable(tokens: SqlTokens): TableDefinition | null {
  if (tokens.takeWord('IF')) {
    tokens.takeWord('NOT')
    tokens.takeWord('EXISTS')
  }
  const name = readTableName(tokens)
  if (!tokens.takeSign('(')) return null
  const columns: string[] = []
  const types: string[] = []
  do {
    const column = readColumn(tokens)
    if (column) {
      columns.push(column.name)
      types.push(column.type)
    }
    skipToComma(tokens)
  } while (tokens.takeSign(','))
  return { name, columns, types }
}

/** Reads a column's name and the first word of its type; null for a constraint or an index. */
function readColumn(tokens: SqlTokens): { readonly name: string; readonly type: string } | null {
  const first = tokens.peek()
  if (first.kind === 'word' && CONSTRAINTS.has(first.upper)) return null
  if (first.kind === 'sign' && first.text !== '[') return null
  if (first.kind !== 'word' && first.kind !== 'name' && first.kind !== 'sign') return null
  const name = readName(tokens)
  const second = tokens.peek()
  if (first.kind === 'word' && INDEXES.has(first.upper) && !startsType(second)) return null
  return { name, type: second.kind === 'word' ? second.text.toLowerCase() : '' }
}

function startsType(token: Token): boolean {
  return token.kind === 'word' && !INDEXES.has(token.upper)
}

/** Skips to the next comma or closing parenthesis at this level. */
function skipToComma(tokens: SqlTokens): void {
  for (let depth = 0; ; ) {
    const token = tokens.peek()
    if (token.kind === 'end' || token.kind === 'statement-end') return
    if (token.kind === 'sign') {
      if (depth === 0 && (token.text === ',' || token.text === ')')) return
      if (token.text === '(') depth += 1
      if (token.text === ')') depth -= 1
    }
    tokens.next()
  }
}
