import { type SqlTokens, showToken } from './sql-tokens.ts'

/** Schemas that stand before a name only because the dump names all. */
const DEFAULT_SCHEMAS = new Set(['public', 'main', 'dbo'])

/** Reads a name in any kind of quotes, or without. */
export function readName(tokens: SqlTokens): string {
  const token = tokens.peek()
  if (token.kind === 'word' || token.kind === 'name') {
    tokens.next()
    return token.text
  }
  if (token.kind !== 'sign' || token.text !== '[')
    throw tokens.fault(`${showToken(token)} stands where a name should`)
  // Access, SQL Server and SQLite quote so; whatever stands inside is the name.
  const { cursor } = tokens
  tokens.next()
  cursor.begin()
  cursor.skipTo((code) => code === 0x5d || code === 0x0a)
  const name = cursor.taken()
  if (!cursor.take(0x5d)) throw cursor.fault('a name in brackets is not closed')
  return name
}

/** Reads a table's name: the last part, and the schema before it unless that is the default one. */
export function readTableName(tokens: SqlTokens): string {
  const parts = [readName(tokens)]
  while (tokens.takeSign('.')) parts.push(readName(tokens))
  const [schema = '', name = schema] = parts.slice(-2)
  return parts.length === 1 || DEFAULT_SCHEMAS.has(schema) ? name : `${schema}.${name}`
}

/** Reads `(a, b)`, the cursor being before the parenthesis. */
export function readNameList(tokens: SqlTokens): string[] {
  tokens.next()
  const names: string[] = []
  do names.push(readName(tokens))
  while (tokens.takeSign(','))
  if (!tokens.takeSign(')')) throw tokens.fault(`${showToken(tokens.peek())} stands where ")" should`)
  return names
}
