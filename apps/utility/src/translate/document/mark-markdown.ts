import { type MaskedRange, matchRules } from './mark-plain.ts'

/** The destination and title of a link, from its bracket (https://spec.commonmark.org/0.31.2/#links). */
const DESTINATION =
  /\(\s*(?:<[^<>\n]*>|[^\s()<>]*(?:\([^\s()]*\)[^\s()]*)*)(?:\s+(?:"[^"]*"|'[^']*'|\([^()]*\)))?\s*\)/y

/** Runs of delimiters: emphasis, strikethrough, highlights. */
const DELIMITERS = /\*+|_+|~~+|==+/y

export function toReference(label: string): string {
  return label.trim().replace(/\s+/g, ' ').toLowerCase()
}

/**
 * The masked parts of a Markdown paragraph: code, targets of links, delimiters, tags, escapes, and those of
 * plain text. Link texts and image descriptions are prose.
 * @param references labels of link references that the document defines
 */
export function markMarkdown(text: string, references: ReadonlySet<string>): MaskedRange[] {
  const marks: MaskedRange[] = []
  const closing = findLinkEnds(text, references)
  const codeEnds = findCodeEnds(text)
  const add = (start: number, end: number, isOrdered: boolean) => {
    marks.push({ start, end, isOrdered })
    return end
  }
  for (let at = 0; at < text.length; ) {
    const character = text[at] ?? ''
    const codeEnd = codeEnds.get(at)
    const linkEnd = closing.get(at)
    DELIMITERS.lastIndex = at
    if (character === '\\') at = add(at, at + (/[!-/:-@[-`{-~]/.test(text[at + 1] ?? '') ? 2 : 1), false)
    else if (codeEnd !== undefined) at = add(at, codeEnd, false)
    else if (linkEnd !== undefined) at = add(at, linkEnd, character !== '[' || linkEnd === at + 1)
    else if (character === '!' && closing.get(at + 1) === at + 2) at = add(at, at + 2, true)
    else {
      const plain = matchRules(text, at)
      const delimiters = plain ? null : DELIMITERS.exec(text)
      if (plain) at = add(at, clipToMarks(plain.end, at, closing, codeEnds), plain.isOrdered)
      else if (delimiters) at = add(at, at + delimiters[0].length, true)
      else at = /[`[\]|~]/.test(character) ? add(at, at + 1, true) : at + 1
    }
  }
  return marks
}

/** A URL must not swallow the end of a link or the start of code, such as `](`. */
function clipToMarks(end: number, start: number, ...ends: ReadonlyMap<number, number>[]): number {
  for (let at = start + 1; at < end; at++) if (ends.some((one) => one.has(at))) return at
  return end
}

/** Start and end of code spans: runs of backticks of the same length. */
function findCodeEnds(text: string): Map<number, number> {
  const runs = [...text.matchAll(/(?<!\\)`+/g)].map(({ index, 0: run }) => ({ index, length: run.length }))
  const ends = new Map<number, number>()
  for (let one = 0; one < runs.length; one++) {
    const run = runs[one]
    if (!run) break
    const close = runs.findIndex(({ length }, other) => other > one && length === run.length)
    const other = runs[close]
    if (!other) continue
    ends.set(run.index, other.index + other.length)
    one = close
  }
  return ends
}

/** For brackets of links, and for whole references: where the masked text that begins there ends. */
function findLinkEnds(text: string, references: ReadonlySet<string>): Map<number, number> {
  const ends = new Map<number, number>()
  const open: number[] = []
  const codeEnds = findCodeEnds(text)
  for (let at = 0; at < text.length; at++) {
    at = (codeEnds.get(at) ?? at + 1) - 1
    if (text[at] === '\\') at += 1
    else if (text[at] === '[' && text[at - 1] !== '`') open.push(at)
    else if (text[at] === ']') {
      const start = open.pop()
      if (start === undefined) continue
      const end = findLinkEnd(text, start, at, references)
      if (end === null) continue
      if (end.isWhole) ends.set(start, end.end)
      else {
        ends.set(start, start + 1)
        ends.set(at, end.end)
        at = end.end - 1
      }
    }
  }
  return ends
}

function findLinkEnd(text: string, start: number, close: number, references: ReadonlySet<string>) {
  const label = text.slice(start + 1, close)
  if (label.startsWith('^')) return { end: close + 1, isWhole: true }
  DESTINATION.lastIndex = close + 1
  const target = DESTINATION.exec(text)?.[0]
  if (target !== undefined) return { end: close + 1 + target.length, isWhole: false }
  const reference = /^\[([^[\]]*)\]/.exec(text.slice(close + 1, close + 1_002))
  const name = reference?.[1]
  if (name && references.has(toReference(name)))
    return { end: close + 1 + (reference?.[0].length ?? 0), isWhole: false }
  // A shown label is its own text.
  if (!references.has(toReference(label))) return null
  return { end: close + 1 + (name === '' ? 2 : 0), isWhole: true }
}
