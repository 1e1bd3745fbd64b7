import type { ConvertError } from '../convert-error.ts'
import type { Notes } from '../notes.ts'
import type { Place } from '../text-cursor.ts'
import { peekAfter } from './read-quoted.ts'
import { holdsRows, MISSING_QUOTE } from './skip-statement.ts'
import { errorAt, type SqlTokens, type Token } from './sql-tokens.ts'

/** What has statements in its body, which are not statements of the dump. */
const KINDS = new Set(['FUNCTION', 'PROCEDURE', 'PROC', 'TRIGGER', 'PACKAGE', 'EVENT', 'RULE', 'BODY'])
/** Words between CREATE or ALTER and the kind of object. */
const MODIFIERS = new Set(
  `OR REPLACE ALTER TEMP TEMPORARY UNLOGGED GLOBAL LOCAL FOREIGN CONSTRAINT AGGREGATE EDITIONABLE NONEDITIONABLE
  PRIVATE EXTERNAL SECURITY SQL INVOKER TYPE`.split(/\s+/),
)
/** What shows in a body that it should have ended. */
const STARTS = new Set(['INSERT', 'CREATE', 'VALUES'])
/** Words after BEGIN that open no block in SQL Server. */
const TRANSACTIONS = new Set(['TRAN', 'TRANSACTION', 'DISTRIBUTED', 'DIALOG', 'CONVERSATION'])
/** Words after END of a statement that no BEGIN opened. */
const BLOCKS = new Set(['IF', 'LOOP', 'WHILE', 'REPEAT', 'FOR'])

/** Continues after CREATE or ALTER and takes the kind of object, in upper case; '' if it is unknown. */
export function takeKind(tokens: SqlTokens): string {
  for (;;) {
    const token = tokens.peek()
    if (token.kind !== 'word') return ''
    if (token.upper === 'DEFINER') skipDefiner(tokens)
    else if (token.upper === 'TYPE' && peekAfter(tokens.cursor) !== 'BODY') return ''
    else if (!MODIFIERS.has(token.upper)) {
      if (token.upper !== 'TABLE' && !KINDS.has(token.upper)) return ''
      tokens.next()
      return token.upper
    } else tokens.next()
  }
}

/** `DEFINER = name@host`, where both may be quoted. */
function skipDefiner(tokens: SqlTokens): void {
  tokens.next()
  tokens.takeSign('=')
  tokens.next()
  if (tokens.takeSign('@')) tokens.next()
}

/**
 * Skips a definition whose body contains statements. In SQL Server and Oracle, where AS or IS precedes the body, it
 * ends with its batch. Elsewhere it ends with a semicolon outside of BEGIN and END.
 * @throws ConvertError if the body does not end, or another statement follows it without a semicolon
 */
export function skipDefinition(tokens: SqlTokens, kind: string, notes: Notes): void {
  const body = new Body(tokens, kind, notes)
  for (let token = tokens.peek(); token.kind !== 'end'; token = tokens.peek()) if (body.take(token)) return
  body.end()
}

class Body {
  readonly #tokens: SqlTokens
  readonly #kind: string
  readonly #notes: Notes
  /** Open BEGIN and CASE. */
  #blocks = 0
  #parentheses = 0
  #inserts = 0
  /** Whether it ends only with its batch. */
  #isBatch = false
  /** Whether a block was closed, or the body was a string, so that only a semicolon can follow. */
  #isComplete = false
  /** Whether the body is a single INSERT, without a block. */
  #hasInsert = false
  #isReferencing = false
  readonly #place: Place

  constructor(tokens: SqlTokens, kind: string, notes: Notes) {
    this.#tokens = tokens
    this.#kind = kind.toLowerCase()
    this.#notes = notes
    this.#place = tokens.place()
  }

  /** Takes the next token. @returns whether the definition ends with it */
  take(token: Token): boolean {
    const tokens = this.#tokens
    if (token.kind === 'word' && this.#blocks <= 0 && STARTS.has(token.upper)) this.#checkEnd(token.upper)
    // PostgreSQL's body is a string after AS; SQL Server runs strings.
    const isBodyText = token.kind === 'string' && (token.prefix === '$' || this.#isComplete || this.#isBatch)
    const isText = token.kind === 'name' || (token.kind === 'string' && (!isBodyText || tokens.isAttached()))
    if (isText && holdsRows(token.text)) throw tokens.error(MISSING_QUOTE)
    if (token.kind === 'word' && token.upper === 'DELIMITER' && tokens.startsLine())
      throw tokens.error(`the body of this ${this.#kind} does not end before DELIMITER`)
    tokens.next()
    if (token.kind === 'statement-end') {
      const isEnd = token.isBatch || (!this.#isBatch && this.#blocks <= 0)
      if (isEnd && (this.#blocks > 0 || this.#parentheses > 0)) throw this.#unended()
      return isEnd
    }
    if (token.kind === 'string' && token.prefix === '$' && this.#blocks <= 0) this.#isComplete = true
    const isAfterEnd = this.#isComplete && !this.#isBatch && this.#blocks <= 0
    if (isAfterEnd && token.kind === 'sign' && token.text === '(' && /^[\d'-]/.test(peekAfter(tokens.cursor)))
      throw tokens.error(`expected ";" after this ${this.#kind}, found a row`)
    if (token.kind === 'sign') this.#parentheses += token.text === '(' ? 1 : token.text === ')' ? -1 : 0
    else if (token.kind === 'word') this.#takeWord(token.upper)
    return false
  }

  #takeWord(upper: string): void {
    if (upper === 'REFERENCING') this.#isReferencing = true
    else if (upper === 'AS' || upper === 'IS') this.#takeAs(upper)
    else if (upper === 'CASE' || (upper === 'BEGIN' && !TRANSACTIONS.has(peekAfter(this.#tokens.cursor))))
      this.#blocks += 1
    else if (upper === 'INSERT' || upper === 'REPLACE') this.#inserts += 1
    else if (upper === 'END' && endsBlock(this.#tokens)) {
      this.#blocks -= 1
      if (this.#blocks <= 0) this.#isComplete = true
    }
  }

  /** AS and IS precede the body in SQL Server and Oracle; AS 'body' is PostgreSQL, WHEN new.a IS NULL a condition. */
  #takeAs(upper: string): void {
    const { dialect } = this.#tokens
    const isOutside = this.#parentheses === 0 && this.#blocks === 0 && !this.#isReferencing
    const isBody = this.#kind !== 'rule' && (upper === 'AS' || this.#kind !== 'trigger')
    if (!isOutside || !isBody) return
    if (this.#tokens.peek().kind === 'string') this.#isComplete = true
    else if (dialect === null || dialect === 'ansi') this.#isBatch = true
  }

  /** A body without BEGIN is a single statement. */
  #checkEnd(upper: string): void {
    const tokens = this.#tokens
    const isStatement = upper === 'CREATE' ? tokens.startsLine() : peekAfter(tokens.cursor) === 'INTO'
    if (this.#isBatch) {
      if (this.#isComplete && upper !== 'CREATE')
        this.#notes.addOnce(
          `this ${this.#kind} has an INSERT after its END, which is skipped (is a GO or / missing?)`,
          tokens.place().line,
        )
    } else if (upper === 'VALUES') {
      if (this.#isComplete && peekAfter(tokens.cursor) === '(')
        throw tokens.error(`expected ";" after this ${this.#kind}, found VALUES`)
    } else if (isStatement && (this.#isComplete || this.#hasInsert || upper === 'CREATE'))
      throw tokens.error(`expected ";" after this ${this.#kind}, found ${upper}`)
    else if (isStatement) this.#hasInsert = true
  }

  #unended(): ConvertError {
    return errorAt(this.#place, `the body of this ${this.#kind} does not end (is an END missing?)`)
  }

  /** At the end of the text. */
  end(): void {
    if (this.#blocks > 0) throw this.#unended()
    if (this.#isBatch && this.#inserts > 0)
      this.#notes.add(
        `this ${this.#kind} ends with the text: INSERT statements in it are skipped`,
        this.#place.line,
      )
  }
}

function endsBlock(tokens: SqlTokens): boolean {
  const token = tokens.peek()
  if (token.kind === 'word' && BLOCKS.has(token.upper)) {
    tokens.next()
    return false
  }
  if (token.kind === 'word' && token.upper === 'CASE') tokens.next()
  return true
}
