import {
  type AddressScanner,
  isAtomCharacter,
  isBeyondAscii,
  isObsoleteControl,
  isPrintable,
} from './address-scanner.ts'
import { type Gap, readGap, readQuotedPair, readSpace } from './white-space.ts'

export type LocalPart = {
  /** As written, without surrounding comments and white space. */
  readonly text: string
  /** Its meaning: without quotes and backslashes. */
  readonly value: string
}

type Word = { readonly text: string; readonly value: string; readonly isQuoted: boolean }

/** Parses up to and including the `@` (RFC 5322 section 3.4.1, `local-part "@"`). */
export function readLocalPart(scanner: AddressScanner): LocalPart {
  const words: Word[] = []
  for (;;) {
    const before = readGap(scanner)
    if (words.length > 0) noteObsolete(scanner, before)
    words.push(readWord(scanner, words.length))
    const after = readGap(scanner)
    if (scanner.next === '@') {
      noteNearAt(scanner, after)
      scanner.take()
      break
    }
    if (scanner.next !== '.') throw misplaced(scanner, words.at(-1), after)
    noteObsolete(scanner, after)
    scanner.take()
  }
  noteForm(scanner, words)
  const joined = (pick: (word: Word) => string) => words.map(pick).join('.')
  return { text: joined(({ text }) => text), value: joined(({ value }) => value) }
}

function readWord(scanner: AddressScanner, index: number): Word {
  if (scanner.next === '"') return readQuotedString(scanner)
  let text = ''
  while (isAtomCharacter(scanner.next)) text += scanner.take()
  if (text !== '') return { text, value: text, isQuoted: false }
  if (scanner.next === undefined) throw scanner.error('no_domain')
  if (scanner.next === '.') throw scanner.error(index === 0 ? 'dot_start' : 'consecutive_dots')
  if (scanner.next === '@') throw scanner.error(index === 0 ? 'no_local_part' : 'dot_end')
  throw scanner.error('atom_character')
}

/** RFC 5322 section 3.2.4. */
function readQuotedString(scanner: AddressScanner): Word {
  let text = scanner.take()
  let value = ''
  for (;;) {
    const character = scanner.next
    if (character === undefined) throw scanner.error('unclosed_quoted_string')
    if (character === '"') break
    if (character === '\\') {
      const quoted = readQuotedPair(scanner)
      text += `\\${quoted}`
      value += quoted
      continue
    }
    if (character === '\t' || character === '\r') {
      readSpace(scanner)
      scanner.note('white_space')
      text += ' '
      value += ' '
      continue
    }
    if (isObsoleteControl(character)) scanner.note('obsolete_quoted_text')
    else if (!isPrintable(character) && !isBeyondAscii(character)) throw scanner.error('quoted_character')
    text += scanner.take()
    value += character
  }
  text += scanner.take()
  return { text, value, isQuoted: true }
}

function misplaced(scanner: AddressScanner, word: Word | undefined, gap: Gap) {
  if (scanner.next === undefined) return scanner.error('no_domain')
  if (!isAtomCharacter(scanner.next)) return scanner.error('atom_character')
  if (gap.hasSpace || gap.hasComment) return scanner.error('text_after_comment')
  return scanner.error(word?.isQuoted ? 'text_after_quoted_string' : 'atom_character')
}

function noteForm(scanner: AddressScanner, words: readonly Word[]): void {
  if (words.some(({ isQuoted }) => isQuoted))
    scanner.note(words.length > 1 ? 'quoted_words' : 'quoted_string')
  const text = words.map((word) => word.text).join('.')
  if ([...text].some(isBeyondAscii)) scanner.note('internationalized')
  // RFC 5321 section 4.5.3.1.1
  if (Buffer.byteLength(text) > 64) scanner.note('local_too_long')
}

/** White space and comments between the words of a part are obsolete (RFC 5322 section 4.4). */
export function noteObsolete(scanner: AddressScanner, { hasSpace, hasComment }: Gap): void {
  if (hasSpace) scanner.note('obsolete_white_space')
  if (hasComment) scanner.note('obsolete_comment')
}

/** RFC 5322 section 3.4.1: they should not be used around the "@". */
export function noteNearAt(scanner: AddressScanner, { hasSpace, hasComment }: Gap): void {
  if (hasSpace || hasComment) scanner.note('space_near_at')
}
