import type { Notes } from '../notes.ts'
import type { Place } from '../text-cursor.ts'
import { peekAfter } from './read-quoted.ts'
import { errorAt, type SqlTokens, showToken, type Token } from './sql-tokens.ts'

/**
 * Words that start a statement without rows, in any dialect. Another word is an error: it may be a misspelt INSERT,
 * or the rest of a statement that was cut.
 */
const SKIPPED = new Set(
  `ALTER ANALYZE ATTACH AUDIT BEGIN BULK CALL CHECKPOINT CLOSE CLUSTER COLUMN COMMENT COMMIT CONNECT DBCC DEALLOCATE
  DECLARE DEFINE DELETE DENY DETACH DISABLE DISCARD DO DROP ELSE ENABLE END EXEC EXECUTE EXPLAIN FETCH FLUSH GRANT IF
  IMPORT KILL LOAD LOCK MERGE NOAUDIT OPEN OPTIMIZE PRAGMA PREPARE PRINT PURGE RAISERROR REASSIGN RECONFIGURE REFRESH
  REINDEX RELEASE RENAME REPAIR RESET RETURN REVOKE ROLLBACK SAVE SAVEPOINT SECURITY SELECT SET SHOW SHUTDOWN START TABLE
  THROW TRUNCATE UNDEFINE UNLISTEN UNLOCK UPDATE USE VACUUM VALUES VARIABLE WAITFOR WHILE WITH`.split(/\s+/),
)
/** Words that start a statement which is read. */
const READ = new Set(['INSERT', 'REPLACE', 'CREATE', 'COPY', 'DELIMITER'])
/** Commands of SQL*Plus, which take their line as it is. */
const LINE_COMMANDS = new Set(
  'PROMPT REM REMARK SPOOL ACCEPT WHENEVER EXIT QUIT HOST SOURCE CLEAR TTITLE'.split(' '),
)
/** First signs of commands of psql, sqlite3, sqlcmd and SQL*Plus. */
const LINE_SIGNS = new Set(['\\', '.', ':', '@', '!'])
const CHANGES = new Set(['UPDATE', 'DELETE', 'MERGE', 'TRUNCATE'])
/** Statements that contain an INSERT that does not run, or not as it is written. */
const OWNERS = new Set(['MERGE', 'EXPLAIN', 'PREPARE'])
const CONDITIONS = new Set(['IF', 'WHILE', 'ELSE', 'THEN', 'LOOP'])
/** Statements in which VALUES may stand anywhere, and words before it in a query. */
const VALUED = new Set(['MERGE', 'EXPLAIN', 'PREPARE', 'WITH', 'VALUES', 'DECLARE'])
const BEFORE_VALUES = new Set(['UNION', 'ALL', 'EXCEPT', 'INTERSECT', 'DISTINCT'])
/** Statements in which a list of values may begin a line. */
const LISTED = new Set(
  'SELECT WITH VALUES EXEC EXECUTE CALL UPDATE DELETE MERGE IF WHILE DECLARE INSERT'.split(' '),
)
/** How a query in parentheses begins. */
const QUERIES = new Set(['SELECT', 'WITH', 'VALUES', 'TABLE', '('])
/** Statements of which strings may be whole scripts. */
const SCRIPTED = new Set(['EXEC', 'EXECUTE', 'DO', 'COMMENT', 'SELECT', 'CALL', 'CREATE', 'SET', 'DECLARE'])

export const MISSING_QUOTE = 'a string outside of rows holds an INSERT (is a quote missing before it?)'

/** Whether the next token, the first of a statement, is a command that takes its line as it is. */
export function isLineCommand(tokens: SqlTokens): boolean {
  const token = tokens.peek()
  if (token.kind === 'sign') return LINE_SIGNS.has(token.text) && tokens.startsLine()
  return token.kind === 'word' && LINE_COMMANDS.has(token.upper) && tokens.startsLine()
}

/** Whether the next token begins a statement, so that the one before needs no semicolon. */
export function startsStatement(tokens: SqlTokens): boolean {
  const token = tokens.peek()
  if (isLineCommand(tokens)) return true
  return token.kind === 'word' && (SKIPPED.has(token.upper) || READ.has(token.upper))
}

/**
 * Skips a statement without rows, up to its end, or to the INSERT, CREATE or COPY that follows without a semicolon.
 * @throws ConvertError if it is no statement, or may have swallowed another one
 */
export function skipWholeStatement(tokens: SqlTokens, notes: Notes, hasRows: boolean): void {
  const first = tokens.peek()
  const place = tokens.place()
  if (first.kind === 'sign' && first.text === '(' && QUERIES.has(peekAfter(tokens.cursor))) {
    skipStatement(tokens)
    return
  }
  if (first.kind !== 'word' || !SKIPPED.has(first.upper))
    throw tokens.error(`expected a statement such as INSERT or CREATE, found ${showToken(first)}`)
  tokens.next()
  if (CHANGES.has(first.upper) && hasRows && !isInternal(tokens))
    notes.addOnce(`${first.upper} is skipped: the rows are as they were inserted`, place.line)
  if (first.upper === 'LOAD' || first.upper === 'BULK')
    notes.add(`${first.upper} is skipped: its rows are in another file`, place.line)
  skipStatement(tokens, first.upper)
}

/** SQLite's dumps delete the rows of internal tables. */
function isInternal(tokens: SqlTokens): boolean {
  tokens.takeWord('FROM')
  const token = tokens.peek()
  return (token.kind === 'word' || token.kind === 'name') && /^sqlite_/i.test(token.text)
}

/** Skips the rest of a statement that began with the word `first`. */
export function skipStatement(tokens: SqlTokens, first = ''): void {
  let depth = 0
  let isConditional = first === 'IF' || first === 'WHILE' || first === 'ELSE'
  let open: Place | null = null
  // CREATE TABLE continues after its columns.
  let last = first === 'TABLE' ? ')' : ''
  for (let token = tokens.peek(); ; token = tokens.peek()) {
    if (token.kind === 'end' || token.kind === 'statement-end') {
      if (open && depth > 0) throw errorAt(open, `"(" is not closed before ${showToken(token)}`)
      if (token.kind === 'statement-end') tokens.next()
      return
    }
    if (token.kind === 'sign' && token.text === '(') {
      const isRow = last === ')' || (tokens.startsLine() && last !== 'IN' && !LISTED.has(first))
      if (depth === 0 && isRow && /^[\d'-]/.test(peekAfter(tokens.cursor)))
        throw tokens.error('a row without an INSERT before it')
      if (depth === 0) open = tokens.place()
      depth += 1
    } else if (token.kind === 'sign' && token.text === ')') {
      depth -= 1
      if (depth < 0) throw tokens.error('unexpected ")"')
    } else if (token.kind === 'sign' && token.text === '\\' && tokens.cursor.peek() === 0x2e) {
      throw tokens.error('the end of data of COPY without a COPY before it')
    } else if (token.kind === 'word' && depth === 0) {
      if (!OWNERS.has(first) && startsRows(tokens, token)) {
        if (isConditional && token.upper !== 'CREATE')
          throw tokens.error(`${token.upper} under a condition or in a loop is not supported`)
        return
      }
      if (isLineCommand(tokens) || (token.upper === 'DELIMITER' && tokens.startsLine())) return
      // ON DUPLICATE KEY UPDATE a = VALUES(a) has no rows, either.
      const isValue = VALUED.has(first) || BEFORE_VALUES.has(last) || /^[^\w)]+$/.test(last)
      if (token.upper === 'VALUES' && !isValue && peekAfter(tokens.cursor) === '(')
        throw tokens.error('VALUES without an INSERT before it')
      if (CONDITIONS.has(token.upper) && (token.upper !== 'IF' || first === 'BEGIN')) isConditional = true
      else if (SKIPPED.has(token.upper)) isConditional = false
    } else if (token.kind === 'string' || token.kind === 'name') {
      const isScript = token.kind === 'string' && SCRIPTED.has(first) && !tokens.isAttached()
      if (!isScript && holdsRows(token.text)) throw tokens.error(MISSING_QUOTE)
    }
    last = token.kind === 'sign' ? token.text : token.kind === 'word' ? token.upper : ''
    tokens.next()
  }
}

/** Whether a word that is not the first of its statement begins one with rows or columns. */
function startsRows(tokens: SqlTokens, { upper }: Extract<Token, { kind: 'word' }>): boolean {
  if (upper !== 'INSERT' && upper !== 'REPLACE' && upper !== 'CREATE' && upper !== 'COPY') return false
  const after = peekAfter(tokens.cursor)
  if (upper === 'CREATE') return after === 'TABLE' || tokens.startsLine()
  if (after === 'INTO') return true
  if (upper === 'COPY') return tokens.startsLine()
  // GRANT SELECT, INSERT ON t; SQL Server and MySQL allow INSERT without INTO.
  const isName = /^[A-Z_]/.test(after) && !['ON', 'OR', 'TO', 'WITH', 'OF'].includes(after)
  return tokens.startsLine() && upper === 'INSERT' && (isName || ['[', '`', '"', '#'].includes(after))
}

/** Whether a text holds an INSERT, as it does if the quote is missing that would end it earlier. */
export function holdsRows(text: string): boolean {
  return /\n\s*(?:INSERT|REPLACE)\b[^;]*\bVALUES\b/i.test(text)
}
