import { readName, readTableName } from './read-name.ts'
import type { SqlTokens, Token } from './sql-tokens.ts'

/** What is known of a table before its rows. */
export type TableDefinition = {
  readonly name: string
  readonly columns: readonly string[]
  /** The first word of each column's type in lower case, or nothing. */
  readonly types: readonly string[]
}

/** What begins a constraint in the place of a column. */
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
/** What begins an index of MySQL, but may also be the name of a column. */
const INDEXES = new Set(['KEY', 'INDEX', 'FULLTEXT', 'SPATIAL'])

/** Reads on after `TABLE`, up to the parenthesis that ends the columns; null where none stand there. */
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

/** Goes on to the next comma, or the closing parenthesis, of this level. */
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
