import { readBracketName } from './read-quoted.ts'
import { type SqlTokens, showToken } from './sql-tokens.ts'

/** Default schemas, which are dropped from table names: dumps qualify every name. */
const DEFAULT_SCHEMAS = new Set(['public', 'main', 'dbo'])

/** Reads a name, quoted in any style or unquoted. */
export function readName(tokens: SqlTokens): string {
  const token = tokens.peek()
  if (token.kind === 'word' || token.kind === 'name') {
    tokens.next()
    return token.text
  }
  if (token.kind !== 'sign' || token.text !== '[')
    throw tokens.error(`expected a name, found ${showToken(token)}`)
  // Directly after a word, as in INTO[t], a bracket is read as a sign.
  tokens.next()
  return readBracketName(tokens.cursor)
}

/** Reads a table name: the last part, prefixed with its schema unless that is a default one. */
export function readTableName(tokens: SqlTokens): string {
  const parts = [readName(tokens)]
  while (tokens.takeSign('.')) parts.push(readName(tokens))
  const [schema = '', name = schema] = parts.slice(-2)
  return parts.length === 1 || DEFAULT_SCHEMAS.has(schema) ? name : `${schema}.${name}`
}

/** Reads `(a, b)`; the next token is the opening parenthesis. */
export function readNameList(tokens: SqlTokens): string[] {
  tokens.next()
  const names: string[] = []
  do names.push(readName(tokens))
  while (tokens.takeSign(','))
  if (!tokens.takeSign(')')) throw tokens.error(`expected ")", found ${showToken(tokens.peek())}`)
  return names
}
