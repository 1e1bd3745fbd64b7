import type { Inline } from '../document/block.ts'
import { toReadingOrder } from './direction.ts'
import type { Word } from './read-words.ts'
import { type Row, toRows, toSegments } from './segments.ts'

/** The words of a row in the order in which they are read. */
export function wordsOf(row: Row): readonly Word[] {
  return toReadingOrder(row.flatMap(({ words }) => words))
}

export function charsOf(row: Row): number {
  return wordsOf(row).reduce((sum, { text }) => sum + text.length, 0)
}

/** A letter and a hyphen at the end of a line. */
export function endsWithHyphen(row: Row): boolean {
  return /\p{Ll}[-\u00AD\u2010]$/u.test(wordsOf(row).at(-1)?.text ?? '')
}

/** The words of a cell of a table, in any order. */
export function toCell(words: readonly Word[]): Inline[] {
  return toInlines(toRows(toSegments(words)))
}

/**
 * Lines as running text. A hyphen at the end of a line is dropped if the next line goes on in lower case.
 * @param skip words at the start that are not text, such as a bullet
 */
export function toInlines(rows: readonly Row[], skip = 0): Inline[] {
  const runs: { text: string; readonly href: string | null }[] = []
  let isJoined = true
  for (const [at, row] of rows.entries()) {
    const words = at === 0 ? wordsOf(row).slice(skip) : wordsOf(row)
    const next = rows[at + 1]
    const isBroken =
      endsWithHyphen(row) && next !== undefined && /^\p{Ll}/u.test(wordsOf(next)[0]?.text ?? '')
    for (const [index, word] of words.entries()) {
      const isCut = isBroken && index === words.length - 1
      const text = isCut ? word.text.slice(0, -1) : word.text
      const last = runs.at(-1)
      if (last && (last.href === word.href || isJoined)) last.text += isJoined ? text : ` ${text}`
      else {
        if (last) last.text += last.href === null ? ' ' : ''
        runs.push({ text: last && last.href !== null ? ` ${text}` : text, href: word.href })
      }
      isJoined = isCut
    }
  }
  return runs.map(({ text, href }): Inline => {
    const inline: Inline = { kind: 'text', text }
    return href === null ? inline : { kind: 'link', href, title: '', content: [inline] }
  })
}
