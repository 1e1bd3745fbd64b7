import { type AddressScanner, isBeyondAscii, isObsoleteControl, isPrintable } from './address-scanner.ts'

/** The white space and comments found between two parts of an address. */
export type Gap = { readonly hasSpace: boolean; readonly hasComment: boolean }

/** Parses `CFWS` of RFC 5322 section 3.2.2: white space, line ends followed by white space, and comments. */
export function readGap(scanner: AddressScanner): Gap {
  let hasSpace = false
  let hasComment = false
  for (;;) {
    if (scanner.next === '(') {
      readComment(scanner)
      hasComment = true
    } else if (readSpace(scanner)) hasSpace = true
    else break
  }
  if (hasSpace) scanner.note('white_space')
  if (hasComment) scanner.note('comment')
  return { hasSpace, hasComment }
}

/** Parses `FWS`; more than one line end is obsolete (RFC 5322 section 4.2). @returns whether there was any. */
export function readSpace(scanner: AddressScanner): boolean {
  let isAny = false
  let lineEnds = 0
  for (;;) {
    if (scanner.next === ' ' || scanner.next === '\t') scanner.take()
    else if (scanner.next === '\r') {
      readLineEnd(scanner)
      lineEnds += 1
    } else break
    isAny = true
  }
  if (lineEnds > 1) scanner.note('obsolete_white_space')
  return isAny
}

function readLineEnd(scanner: AddressScanner): void {
  if (scanner.afterNext !== '\n') throw scanner.error('return_without_line_feed')
  scanner.take()
  scanner.take()
  if (scanner.next === '\r' && scanner.afterNext === '\n') throw scanner.error('empty_line')
  if (scanner.next !== ' ' && scanner.next !== '\t') throw scanner.error('line_end_without_space')
}

/** Comments nest; a loop, so that deep nesting cannot exhaust the stack. */
function readComment(scanner: AddressScanner): void {
  let depth = 0
  do {
    const character = scanner.next
    if (character === undefined) throw scanner.error('unclosed_comment')
    if (character === '\\') readQuotedPair(scanner)
    else if (!readSpace(scanner)) {
      if (character === '(') depth += 1
      else if (character === ')') depth -= 1
      else if (isObsoleteControl(character)) scanner.note('obsolete_comment_text')
      else if (!isPrintable(character) && !isBeyondAscii(character)) throw scanner.error('comment_character')
      scanner.take()
    }
  } while (depth > 0)
}

/**
 * A backslash and the character that it quotes: ASCII only, in SMTP too (RFC 6531 does not change
 * `quoted-pairSMTP`).
 */
export function readQuotedPair(scanner: AddressScanner): string {
  scanner.take()
  const character = scanner.next
  if (character === undefined) throw scanner.error('backslash_end')
  if (character > '\u007f') throw scanner.error('quoted_pair_character')
  if (character !== '\t' && !isPrintable(character)) scanner.note('obsolete_quoted_pair')
  return scanner.take()
}
