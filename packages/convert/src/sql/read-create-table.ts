import { readName, readTableName } from './read-name.ts'
import { type SqlTokens, showToken, type Token } from './sql-tokens.ts'

export type TableDefinition = {
  readonly name: string
  readonly columns: readonly string[]
  /** The first word of each column's type in lower case, or an empty string. */
  readonly types: readonly string[]
  /** The columns that the database numbers, which an INSERT without a column list has no values for. */
  readonly identities: readonly string[]
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

/** Continues after `TABLE` and stops after the closing parenthesis of the column list; null if there is no column list. */
export function readCreateTable(tokens: SqlTokens): TableDefinition | null {
  if (tokens.takeWord('IF')) {
    tokens.takeWord('NOT')
    tokens.takeWord('EXISTS')
  }
  const name = readTableName(tokens)
  if (!tokens.takeSign('(')) return null
  const columns: string[] = []
  const types: string[] = []
  const identities: string[] = []
  do {
    const { column, depth } = readColumn(tokens)
    if (column) {
      columns.push(column.name)
      types.push(column.type)
    }
    const isIdentity = skipToComma(tokens, depth)
    if (column && isIdentity) identities.push(column.name)
  } while (tokens.takeSign(','))
  if (!tokens.takeSign(')'))
    throw tokens.error(`expected ")" after the columns of ${name}, found ${showToken(tokens.peek())}`)
  return { name, columns, types, identities }
}

/** The column is null for a constraint or an index; `depth` counts its open parentheses. */
type ColumnStart = {
  readonly column: { readonly name: string; readonly type: string } | null
  readonly depth: number
}

const NO_COLUMN: ColumnStart = { column: null, depth: 0 }

/** Reads a column's name and the first word of its type. */
function readColumn(tokens: SqlTokens): ColumnStart {
  const first = tokens.peek()
  if (first.kind === 'word' && CONSTRAINTS.has(first.upper)) return NO_COLUMN
  if (first.kind === 'sign' && first.text !== '[') return NO_COLUMN
  if (first.kind !== 'word' && first.kind !== 'name' && first.kind !== 'sign') return NO_COLUMN
  const name = readName(tokens)
  const second = tokens.peek()
  const column = { name, type: second.kind === 'word' ? second.text.toLowerCase() : '' }
  if (first.kind !== 'word' || !INDEXES.has(first.upper)) return { column, depth: 0 }
  if (second.kind !== 'word' || INDEXES.has(second.upper)) return NO_COLUMN
  tokens.next()
  if (!tokens.takeSign('(')) return { column, depth: 0 }
  // KEY name (column) without quotes; the column `key varchar(20)` has no name in parentheses.
  return { column: isColumnName(tokens.peek()) ? null : column, depth: 1 }
}

function isColumnName(token: Token): boolean {
  return token.kind === 'name' || (token.kind === 'word' && token.upper !== 'MAX')
}

/** Skips to the next comma or closing parenthesis at level 0, from a level of parentheses; whether IDENTITY is among the tokens. */
function skipToComma(tokens: SqlTokens, from: number): boolean {
  let isIdentity = false
  let last = ''
  for (let depth = from; ; ) {
    const token = tokens.peek()
    if (token.kind === 'end' || token.kind === 'statement-end') return isIdentity
    if (token.kind === 'sign') {
      if (depth === 0 && (token.text === ',' || token.text === ')')) return isIdentity
      if (token.text === '(') depth += 1
      if (token.text === ')') depth -= 1
    }
    // GENERATED AS IDENTITY of PostgreSQL leaves the columns where they are.
    if (token.kind === 'word' && token.upper === 'IDENTITY' && last !== 'AS') isIdentity = true
    last = token.kind === 'word' ? token.upper : ''
    tokens.next()
  }
}
