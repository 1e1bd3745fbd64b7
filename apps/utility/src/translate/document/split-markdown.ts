import { markMarkdown, toReference } from './mark-markdown.ts'
import type { Part } from './segment.ts'
import { type Break, splitProse } from './split-prose.ts'

/** One line of Markdown. `before`, `prose`, `after` and `eol` concatenated are the line. */
type MarkdownLine = {
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

/** Blocks that are preserved whole: what opens them, and what closes them. */
const HTML_BLOCKS: readonly (readonly [open: RegExp, close: RegExp])[] = [
  [/^<!--/, /-->/],
  [/^<(?:pre|script|style|textarea|code)(?=[\s>]|$)/i, /<\/(?:pre|script|style|textarea|code)>/i],
  [/^\$\$[ \t]*$/, /^\s*\$\$[ \t]*$/],
]
const FENCE = /^(`{3,})[^`]*$|^(~{3,})/
const RULE = /^(?:[-*_=][ \t]*)+$/
const TABLE_RULE = /^\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/
const DEFINITION = /^\[([^\]^][^\]]*)\]:[ \t]*\S/
const CELL_BORDER = /(?<!\\)\|/

/**
 * Splits a Markdown document: code, front matter, HTML blocks, rules, link definitions and all marks are
 * preserved; paragraphs, headings, items and table cells are segments.
 */
export function splitMarkdown(text: string): Part[] {
  const lines = [...text.matchAll(/[^\r\n]*(?:\r\n|[\r\n]|$)/g)]
    .map(([line]) => line)
    .filter((line) => line !== '')
  const references = new Set(
    lines.flatMap((line) => {
      const label = DEFINITION.exec(readMarkdownLine(line).prose)?.[1]
      return label === undefined ? [] : [toReference(label)]
    }),
  )
  const mark = (prose: string) => markMarkdown(prose, references)
  const parts: Part[] = []
  let paragraph = createParagraph()
  const flush = () => {
    if (paragraph.text !== '') parts.push(...splitProse(paragraph, mark))
    paragraph = createParagraph()
  }
  const keep = (line: string) => {
    flush()
    parts.push(line)
  }
  const keepAround = ({ before, prose, after, eol }: MarkdownLine) => {
    flush()
    parts.push(before, ...splitProse({ text: prose, breaks: [] }, mark), after + eol)
  }

  let at = keepFrontMatter(lines, keep)
  let closes: ((line: string) => boolean) | null = null
  let isTable = false
  let isInList = false
  let wasBlank = true
  for (; at < lines.length; at++) {
    const text = lines[at] ?? ''
    const line = readMarkdownLine(text)
    const whole = line.prose + line.after
    if (closes) {
      keep(text)
      if (closes(text)) closes = null
      continue
    }
    isTable &&= CELL_BORDER.test(line.prose)
    const isCode = line.indent >= 4 && wasBlank && !isInList && !line.isListItem
    if (line.isListItem) isInList = true
    else if (wasBlank && !line.isBlank && line.indent === 0) isInList = false
    closes = isCode ? null : findBlockEnd(line.prose)
    wasBlank = line.isBlank
    if (isCode) wasBlank = true
    if (closes || isCode || line.isBlank || RULE.test(whole) || DEFINITION.test(line.prose)) keep(text)
    else if (isTable || isTableHead(line, lines[at + 1])) {
      isTable = true
      flush()
      parts.push(line.before, ...splitCells(line.prose, mark), line.after + line.eol)
    } else if (line.isHeading) keepAround(line)
    else if (paragraph.text === '' || line.isStart || line.quotes > paragraph.quotes) {
      flush()
      parts.push(line.before)
      paragraph.take(line)
    } else paragraph.take(line)
  }
  flush()
  return mergeKept(parts)
}

/** Collects lines; the marks before all but the first are part of the break before them. */
function createParagraph() {
  const breaks: Break[] = []
  return {
    text: '',
    breaks,
    quotes: 0,
    take(line: MarkdownLine) {
      const last = breaks.at(-1)
      if (this.text === '') this.quotes = line.quotes
      else if (last) {
        this.text += line.before
        breaks[breaks.length - 1] = { ...last, end: this.text.length }
      }
      this.text += line.prose
      const start = this.text.length
      this.text += line.after + line.eol
      if (this.text.length > start) breaks.push({ start, end: this.text.length, isHard: line.isHardBreak })
    },
  }
}

/** YAML or TOML front matter; returns the number of the first line after it. */
function keepFrontMatter(lines: readonly string[], keep: (line: string) => void): number {
  const fence = lines[0]?.trimEnd()
  if (fence !== '---' && fence !== '+++') return 0
  const end = lines.findIndex((line, at) => at > 0 && line.trimEnd() === fence)
  if (end < 0) return 0
  for (const line of lines.slice(0, end + 1)) keep(line)
  return end + 1
}

/** Recognizes the last line of a block that is preserved whole; null if no multi-line block begins here. */
function findBlockEnd(prose: string): ((line: string) => boolean) | null {
  const fence = FENCE.exec(prose)
  const run = fence?.[1] ?? fence?.[2]
  if (run !== undefined) {
    return (line) => {
      const closing = /(`{3,}|~{3,})[ \t]*$/.exec(line.replace(/[\r\n]+$/, ''))
      const isAlone = closing && /^[ \t>]*$/.test(line.slice(0, closing.index))
      return Boolean(isAlone && closing[1]?.startsWith(run))
    }
  }
  for (const [open, close] of HTML_BLOCKS) {
    const opening = open.exec(prose)
    if (opening && !close.test(prose.slice(opening[0].length))) return (line) => close.test(line)
  }
  return null
}

function isTableHead({ prose }: MarkdownLine, next: string | undefined): boolean {
  if (next === undefined || !CELL_BORDER.test(prose)) return false
  const rule = readMarkdownLine(next)
  const whole = next.replace(/^[ \t>]*/, '').trimEnd()
  return rule.isListItem ? TABLE_RULE.test(whole) : TABLE_RULE.test(rule.prose + rule.after)
}

/** Cells of a row; borders within code are borders too (https://github.github.com/gfm/#example-200). */
function splitCells(row: string, mark: (prose: string) => ReturnType<typeof markMarkdown>): Part[] {
  if (TABLE_RULE.test(row)) return [row]
  return row
    .split(/(?<!\\)(\|)/)
    .flatMap((cell, at): Part[] => (at % 2 === 1 ? [cell] : splitProse({ text: cell, breaks: [] }, mark)))
}

function mergeKept(parts: readonly Part[]): Part[] {
  const merged: Part[] = []
  for (const part of parts) {
    const last = merged.at(-1)
    if (typeof part === 'string' && typeof last === 'string') merged[merged.length - 1] = last + part
    else if (part !== '') merged.push(part)
  }
  return merged
}

/** Parses a line including its end (https://spec.commonmark.org/0.31.2/#container-blocks). */
function readMarkdownLine(line: string): MarkdownLine {
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
