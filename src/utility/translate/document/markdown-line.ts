/** One line of Markdown. `before`, `prose`, `after` and `eol` concatenated are the line. */
export type MarkdownLine = {
  /** Indentation, quote marks, markers of lists, tasks, headings and footnotes. */
  readonly before: string
  readonly prose: string
  /** Trailing white space, a backslash that breaks the line, closing marks of a heading. */
  readonly after: string
  readonly eol: string
  readonly isBlank: boolean
  readonly isHeading: boolean
  /** Whether the marks begin a new block, such as a list item. */
  readonly isStart: boolean
  readonly isListItem: boolean
  /** Number of quote marks before it. */
  readonly quotes: number
  /** Columns of white space before the first character that is not a quote mark. */
  readonly indent: number
  /** Whether a hard line break follows. */
  readonly isHardBreak: boolean
}

const CONTAINERS = /[ \t]*(?:>[ \t]?|(?:[-+*]|\d{1,9}[.)])(?=[ \t]|$)[ \t]*(?:\[[ xX]\][ \t]+)?)/y
const FOOTNOTE = /\[\^[^\]\s]+\]:[ \t]*/y
const HEADING = /#{1,6}(?:[ \t]+|$)/y

/** Parses a line including its end (https://spec.commonmark.org/0.31.2/#container-blocks). */
export function readMarkdownLine(line: string): MarkdownLine {
  const eol = /(?:\r\n|[\r\n])?$/.exec(line)?.[0] ?? ''
  const content = line.slice(0, line.length - eol.length)
  let at = 0
  let quotes = 0
  let isListItem = false
  const take = (form: RegExp): string | undefined => {
    form.lastIndex = at
    const found = form.exec(content)?.[0]
    at += found?.length ?? 0
    return found
  }
  for (let found = take(CONTAINERS); found; found = take(CONTAINERS)) {
    if (found.includes('>')) quotes += 1
    else isListItem = true
  }
  const white = take(/[ \t]*/y) ?? ''
  const isFootnote = take(FOOTNOTE) !== undefined
  const isHeading = take(HEADING) !== undefined
  const rest = content.slice(at)
  const closing = isHeading ? /(?:(?<=[ \t]|^)#+)?[ \t]*$/ : /\\?[ \t]*$/
  const after = closing.exec(rest)?.[0] ?? ''
  const prose = rest.slice(0, rest.length - after.length)
  const trailing = isHeading ? (/[ \t]*$/.exec(prose)?.[0] ?? '') : ''
  return {
    before: content.slice(0, at),
    prose: prose.slice(0, prose.length - trailing.length),
    after: trailing + after,
    eol,
    isHeading,
    isListItem,
    quotes,
    isBlank: rest.trim() === '' && !isHeading,
    isStart: isListItem || isFootnote,
    indent: [...white].reduce((columns, one) => columns + (one === '\t' ? 4 : 1), 0),
    isHardBreak: after.startsWith('\\') || /^ {2}/.test(after),
  }
}
