import type { Inline } from './block.ts'
import { escapeMarkdown } from './escape-markdown.ts'

type Surroundings = {
  /** The emphasis mark that is already open; nested emphasis uses the other one. */
  readonly open: string
  /** The character before and after the content; empty at the ends of a line. */
  readonly before: string
  readonly after: string
  readonly isInTable: boolean
}

const OUTSIDE: Surroundings = { open: '', before: '', after: '', isInTable: false }

/** Writes inline content as one line of Markdown, or several if it has breaks. */
export function writeInlines(inlines: readonly Inline[], options: Partial<Surroundings> = {}): string {
  const around = { ...OUTSIDE, ...options }
  const written: string[] = []
  let before = around.before
  for (const [at, part] of inlines.entries()) {
    const piece = writeInline(part, around, { before, next: inlines[at + 1] })
    written.push(piece)
    before = piece.at(-1) ?? before
  }
  const text = written.join('')
  return around.isInTable ? text.replaceAll('\n', ' ') : text
}

/** `before` is the last character written, empty at the start of a line. */
type Neighbours = { readonly before: string; readonly next: Inline | undefined }

function writeInline(part: Inline, around: Surroundings, near: Neighbours): string {
  switch (part.kind) {
    case 'text': {
      const text = escapeMarkdown(part.text)
      const escaped = near.next?.kind === 'link' ? text.replace(/!$/, '\\!') : text
      return around.isInTable ? escaped.replaceAll('|', '\\|') : escaped
    }
    case 'code':
      return writeCode(part.text, around.isInTable)
    case 'verbatim':
      // In a table even the bar of a formula would end its cell.
      return around.isInTable ? part.text.replace(/\\begin\{array\}\{[^{}]*\}|\\?\|/g, writeBar) : part.text
    case 'break':
      return '  \n'
    case 'emphasis':
    case 'strong':
      return writeEmphasis(part, around, near)
    case 'deleted':
      return `~~${writeInlines(part.content, around)}~~`
    case 'link':
      return writeLink(part, around)
    case 'image':
      return `![${escapeMarkdown(part.alt)}](${writeTarget(part.src, part.title)})`
    default:
      return part satisfies never
  }
}

/** Writes a bar of a formula in a table; the lines between the columns of an array are left out. */
function writeBar(found: string): string {
  if (found.startsWith('\\begin')) return found.replaceAll('|', '')
  return found === '|' ? '\\vert ' : '\\Vert '
}

/** Writes a code span delimited by more backticks than it contains (CommonMark, 6.1). */
function writeCode(text: string, isInTable: boolean): string {
  const runs = new Set([...text.matchAll(/`+/g)].map(([run]) => run.length))
  let length = 1
  while (runs.has(length)) length += 1
  const fence = '`'.repeat(length)
  const isPadded = /^`|`$/.test(text) || (/^ .* $/.test(text) && text.trim() !== '')
  const inside = isPadded ? ` ${text} ` : text
  return `${fence}${isInTable ? inside.replaceAll('|', '\\|') : inside}${fence}`
}

/**
 * Writes emphasis with stars, or with underscores inside stars. If the flanking rules (CommonMark, 6.2) would
 * not recognise a mark, the text is written without emphasis.
 */
function writeEmphasis(
  { kind, content }: Extract<Inline, { kind: 'emphasis' | 'strong' | 'deleted' }>,
  around: Surroundings,
  { before, next }: Neighbours,
): string {
  const length = kind === 'strong' ? 2 : 1
  const after = next === undefined ? around.after : firstCharacter(next)
  const isWord = (character: string) => /[\p{L}\p{N}]/u.test(character)
  const canUnderscore = !isWord(before.at(-1) ?? '') && !isWord(after)
  const wantsUnderscore = around.open === '*' || before.endsWith('*') || after === '*'
  const mark = wantsUnderscore && canUnderscore && !before.endsWith('_') ? '_' : '*'
  const inside = writeInlines(content, { ...around, open: mark, before, after })
  if (inside.trim() === '') return inside
  // Adjacent marks of one kind form one run; the flanking rules look at the characters around it.
  const beyond = isWrapped(content[0]) && mark === '*' ? inside.replace(/^\*+/, '') : inside
  const within = isWrapped(content.at(-1)) && mark === '*' ? inside.replace(/\*+$/, '') : inside
  const [first, last] = [beyond.slice(0, 2), within.slice(-1)]
  const isOpening = isBoundary(before.at(-1) ?? ' ') || !isPunctuation(first)
  const isClosing = isBoundary(after === '' ? ' ' : after) || !isPunctuation(last)
  if (!isOpening || !isClosing || /^[\s\u00a0]|[\s\u00a0]$/.test(inside)) return inside
  return `${mark.repeat(length)}${inside}${mark.repeat(length)}`
}

const isWrapped = (part: Inline | undefined) => part?.kind === 'emphasis' || part?.kind === 'strong'
const isPunctuation = (character: string) => /^[\p{P}\p{S}]/u.test(character)
const isBoundary = (character: string) => isPunctuation(character) || /\s/.test(character)

function firstCharacter(part: Inline): string {
  if (part.kind === 'text' || part.kind === 'verbatim')
    return String.fromCodePoint(part.text.codePointAt(0) ?? 32)
  if (part.kind === 'break') return '\n'
  if (part.kind === 'code') return '`'
  if (part.kind === 'image') return '!'
  return part.kind === 'link' ? '[' : '*'
}

function writeLink(part: Extract<Inline, { kind: 'link' }>, around: Surroundings): string {
  const text = writeInlines(withoutLinks(part.content), around)
  const isPlain = part.content.length === 1 && part.content[0]?.kind === 'text'
  if (isPlain && part.title === '' && part.content[0]?.kind === 'text' && part.content[0].text === part.href)
    if (/^https?:\/\/[^\s<>\\`|]+$/.test(part.href)) return `<${part.href}>`
  return `[${text.replaceAll(/ *\n/g, ' ')}](${writeTarget(part.href, part.title)})`
}

/** A link cannot contain another link (CommonMark, 6.3). */
function withoutLinks(inlines: readonly Inline[]): Inline[] {
  return inlines.flatMap((part): Inline[] => {
    if (part.kind === 'link') return withoutLinks(part.content)
    return 'content' in part ? [{ ...part, content: withoutLinks(part.content) }] : [part]
  })
}

function writeTarget(url: string, title: string): string {
  const escaped = url
    .replace(/[\s<>|]/g, (character) => encodeURIComponent(character))
    .replace(/[\\()*_[\]`]/g, (character) =>
      character === '_' || character === '*' ? character : `\\${character}`,
    )
    .replace(/&(?=#?\w{1,32};)/g, '\\&')
  const quoted = title
    .replace(/[\\"`]/g, '\\$&')
    .replace(/&(?=#?\w{1,32};)/g, '\\&')
    .replace(/\n\s*\n/g, '\n')
  return title === '' ? escaped : `${escaped} "${quoted}"`
}
