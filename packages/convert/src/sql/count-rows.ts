import { type CountOptions, endOfBrackets, endOfComment, endOfDollars, endOfQuotes } from './end-of-quotes.ts'

/** Where the scanner is: `rows` is after VALUES, `create` before the kind of object, `body` in a trigger or the like. */
type State = 'start' | 'other' | 'owner' | 'insert' | 'rows' | 'create' | 'body'

const MARK = /['"`[()$#;/@.:!\\-]|[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*|\d[\w.]*/g
const COPY = /COPY\s[^;]*?\bFROM\s+STDIN\s*;[^\n\r]*(?:\r\n|\n|\r)/iy
const GRANTED = /\s*(?:,|;|\)|(?:ON|TO|OF|WITH)\b)/iy
const INTERNAL = /\s*(?:INTO\s+)?["'`[]?sqlite_/iy
const BATCH_END = /^[ \t]*(?:GO(?:\s+1)?|\/)[ \t;]*(?:--.*)?$/i
const LINE_COMMAND = /^(?:PROMPT|REM|REMARK|SPOOL|ACCEPT|WHENEVER|EXIT|QUIT|HOST|SOURCE|CLEAR|TTITLE)$/
const KIND = /^(?:FUNCTION|PROCEDURE|PROC|TRIGGER|PACKAGE|EVENT|RULE|BODY)$/
const QUERY = /^(?:SELECT|WITH|TABLE|EXEC|EXECUTE|DEFAULT)$/
const OWNER = /^(?:MERGE|EXPLAIN|PREPARE)$/

/**
 * Counts the rows of a dump by the line on which their statement begins. It knows no grammar: it jumps over strings,
 * names and comments, and counts the parentheses that open after VALUES, so that it does not fail where a parser does.
 */
export function countRows(text: string, options: CountOptions): ReadonlyMap<number, number> {
  const counter = new RowCounter(text, options)
  counter.run()
  return counter.rows
}

class RowCounter {
  readonly rows = new Map<number, number>()
  readonly #text: string
  readonly #options: CountOptions
  #at = 0
  #state: State = 'start'
  #depth = 0
  #delimiter = ';'
  /** Depth of BEGIN and CASE in a body. */
  #blocks = 0
  /** Whether a body ends only with its batch. */
  #isBatch = false
  #kind = ''
  #insertLine = 1
  #line = 1
  #counted = 0

  constructor(text: string, options: CountOptions) {
    this.#text = text
    this.#options = options
  }

  run(): void {
    for (;;) {
      MARK.lastIndex = this.#at
      const match = MARK.exec(this.#text)
      if (!match) return
      const [mark] = match
      const from = match.index
      this.#at = from + mark.length
      if (this.#delimiter !== ';' && this.#text.startsWith(this.#delimiter, from)) {
        this.#at = from + this.#delimiter.length
        this.#end()
      } else if (/^[A-Za-z_\u0080-\uffff]/.test(mark)) this.#word(mark.toUpperCase(), from)
      else this.#sign(mark, from)
    }
  }

  #sign(mark: string, from: number): void {
    const text = this.#text
    const next = text[from + 1] ?? ''
    const { dialect } = this.#options
    if (mark === "'" || mark === '"' || mark === '`') this.#at = endOfQuotes(text, from, this.#options)
    else if (mark === '-' && next === '-') this.#jumpLine()
    else if (mark === '#' && this.#isHashComment(from)) this.#jumpLine()
    else if (mark === '/' && next === '*') this.#at = endOfComment(text, from, dialect === 'postgres')
    else if (mark === '$') this.#at = endOfDollars(text, from)
    else if (mark === '[' && dialect !== 'mysql' && dialect !== 'postgres')
      this.#at = endOfBrackets(text, from)
    else if (mark === '(') {
      if (this.#state === 'rows' && this.#depth === 0) this.#add(1)
      if (this.#state === 'create') this.#state = 'other'
      this.#depth += 1
    } else if (mark === ')') this.#depth = Math.max(0, this.#depth - 1)
    else if (mark === ';') {
      if (this.#delimiter === ';' && (this.#state !== 'body' || (this.#blocks <= 0 && !this.#isBatch)))
        this.#end()
    } else if (mark === '/' && this.#isBatchEnd(from)) this.#end()
    else if ('\\.:@!'.includes(mark) && this.#state === 'start' && this.#isFirst(from)) this.#jumpLine()
    else if (this.#state === 'start') this.#state = 'other'
  }

  #word(word: string, from: number): void {
    if (word === 'GO' && this.#isBatchEnd(from)) this.#endLine()
    else if (this.#state === 'body') this.#bodyWord(word)
    else if (this.#depth === 0) this.#outerWord(word, from)
  }

  #outerWord(word: string, from: number): void {
    if (this.#state === 'insert') {
      // OVERRIDING SYSTEM VALUE VALUES
      if (word === 'VALUES' || (word === 'VALUE' && !this.#follows(/\s+VALUES\b/iy))) this.#state = 'rows'
      else if (QUERY.test(word)) this.#state = 'other'
      else if (word === 'SET') {
        this.#add(1)
        this.#state = 'other'
      }
      if (word !== 'INSERT' && word !== 'CREATE') return
    }
    if (this.#state === 'create') {
      if (KIND.test(word)) [this.#state, this.#kind, this.#blocks, this.#isBatch] = ['body', word, 0, false]
      else if (word === 'TABLE' || word === 'AS' || word === 'IS') this.#state = 'other'
      return
    }
    if (this.#state !== 'owner') this.#statementWord(word, from)
  }

  #statementWord(word: string, from: number): void {
    const isStart = this.#state === 'start' || this.#state === 'rows'
    const isFirst = this.#isFirst(from)
    if ((isStart || this.#state === 'other') && LINE_COMMAND.test(word) && isFirst) this.#endLine()
    else if (isStart && word === 'DELIMITER') {
      this.#delimiter = this.#restOfLine().trim() || this.#delimiter
      this.#endLine()
    } else if (word === 'COPY' && (isStart || isFirst)) this.#copy(from)
    else if (word === 'INTO' && this.#state === 'rows') this.#state = 'insert'
    else if (word === 'CREATE' && (isStart || isFirst || this.#follows(/\s+TABLE\b/iy)))
      this.#state = 'create'
    else if (word === 'ALTER' && isStart) this.#state = 'create'
    else if (OWNER.test(word) && isStart) this.#state = 'owner'
    else if (word === 'INSERT' || (word === 'REPLACE' && (isStart || this.#follows(/\s+INTO\b/iy)))) {
      if (this.#follows(GRANTED) || this.#follows(INTERNAL)) this.#state = 'other'
      else {
        this.#state = 'insert'
        this.#insertLine = this.#lineAt(from)
      }
    } else this.#state = 'other'
  }

  #bodyWord(word: string): void {
    const isStandard = this.#options.dialect !== null && this.#options.dialect !== 'ansi'
    const isBlock = word === 'BEGIN' && !this.#follows(/\s+(?:TRAN|DISTRIBUTED|DIALOG|CONVERSATION)/iy)
    if (isBlock || word === 'CASE') this.#blocks += 1
    else if (word === 'END') {
      const after = /\s+(IF|LOOP|WHILE|REPEAT|FOR|CASE)\b/iy
      after.lastIndex = this.#at
      const match = after.exec(this.#text)
      if (match) this.#at = after.lastIndex
      if (!match || match[1]?.toUpperCase() === 'CASE') this.#blocks -= 1
    } else if (word === 'REFERENCING') this.#kind = 'RULE'
    else if ((word === 'AS' || (word === 'IS' && this.#kind !== 'TRIGGER')) && this.#depth === 0) {
      const isText = /^\s*(?:[EN]?'|\$)/i.test(this.#text.slice(this.#at, this.#at + 200))
      if (this.#blocks === 0 && this.#kind !== 'RULE' && !isStandard && !isText) this.#isBatch = true
    }
  }

  #follows(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at
    return pattern.test(this.#text)
  }

  #add(count: number): void {
    this.rows.set(this.#insertLine, (this.rows.get(this.#insertLine) ?? 0) + count)
  }

  #end(): void {
    this.#state = 'start'
    this.#depth = 0
  }

  #endLine(): void {
    this.#jumpLine()
    this.#end()
  }

  /** Counts the data lines of COPY up to the line `\.`. */
  #copy(from: number): void {
    COPY.lastIndex = from
    if (!COPY.test(this.#text)) {
      this.#state = 'other'
      return
    }
    this.#insertLine = this.#lineAt(from)
    const data = COPY.lastIndex
    const end = /^\\\.\r?$/gm
    end.lastIndex = data
    const match = end.exec(this.#text)
    const lines = this.#text.slice(data, match?.index).match(/\r\n|\n|\r/g)?.length ?? 0
    if (lines > 0) this.#add(lines)
    this.#at = match ? end.lastIndex : this.#text.length
    this.#end()
  }

  #isHashComment(from: number): boolean {
    const { dialect } = this.#options
    if (dialect === 'mysql' || dialect === 'postgres') return dialect === 'mysql'
    if (/\w/.test(this.#text[from - 1] ?? '')) return false
    return this.#isFirst(from) || !/[\w#]/.test(this.#text[from + 1] ?? '')
  }

  #isBatchEnd(from: number): boolean {
    const { dialect } = this.#options
    if ((dialect !== null && dialect !== 'ansi') || !this.#isFirst(from)) return false
    return BATCH_END.test(this.#text.slice(from, this.#lineEnd(from)))
  }

  /** Whether only white space and comments precede on the line, of which the last 200 characters are examined. */
  #isFirst(from: number): boolean {
    return /(?:^|[\n\r])\ufeff?(?:[ \t]|\/\*[^\n\r]*\*\/)*$/.test(
      this.#text.slice(Math.max(0, from - 200), from),
    )
  }

  #lineEnd(from: number): number {
    const end = /[\n\r]/g
    end.lastIndex = from
    return end.exec(this.#text)?.index ?? this.#text.length
  }

  #restOfLine(): string {
    return this.#text.slice(this.#at, this.#lineEnd(this.#at))
  }

  #jumpLine(): void {
    this.#at = this.#lineEnd(this.#at)
  }

  /** The line of a place that is not before the last one. */
  #lineAt(at: number): number {
    this.#line += this.#text.slice(this.#counted, at).match(/\r\n|\n|\r/g)?.length ?? 0
    this.#counted = at
    return this.#line
  }
}
