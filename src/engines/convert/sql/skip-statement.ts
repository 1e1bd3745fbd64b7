import type { SqlTokens } from './sql-tokens.ts'

/** Skips a statement that holds no rows. */
export function skipStatement(tokens: SqlTokens): void {
  for (let { kind } = tokens.peek(); kind !== 'end'; { kind } = tokens.peek()) {
    tokens.next()
    if (kind === 'statement-end') return
  }
}

/**
 * Skips a CREATE statement for anything but a table. The body of a trigger contains statements and ends with
 * `; END ;`, the rule that SQLite itself applies; a PostgreSQL body that starts with BEGIN ATOMIC ends the
 * same way.
 */
export function skipDefinition(tokens: SqlTokens): void {
  let isTrigger = false
  let isInBody = false
  let last = ''
  for (let token = tokens.peek(); token.kind !== 'end'; token = tokens.peek()) {
    tokens.next()
    const word = token.kind === 'word' ? token.upper : ''
    if (word === 'TRIGGER') isTrigger = true
    if ((isTrigger && word === 'BEGIN') || (last === 'BEGIN' && word === 'ATOMIC')) isInBody = true
    if (token.kind === 'statement-end') {
      if (!isInBody || last === ';END') return
      last = ';'
    } else last = word === 'END' && last === ';' ? ';END' : word
  }
}
