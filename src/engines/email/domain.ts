import { isIPv4 } from 'node:net'
import { domainToASCII } from 'node:url'
import {
  type AddressScanner,
  isAtomCharacter,
  isBeyondAscii,
  isObsoleteControl,
  isPrintable,
} from './address-scanner.ts'
import { noteNearAt, noteObsolete } from './local-part.ts'
import { readGap, readQuotedPair, readSpace } from './white-space.ts'

export type Domain = {
  /** As written, without comments and white space. */
  readonly text: string
  /** The DNS form: lower case, international labels in Punycode; null for a literal, or if there is no such form. */
  readonly ascii: string | null
}

const IPV6_TAG = /^ipv6:/i
const IPV4_AT_END = /(?:^|:)(\d{1,3}(?:\.\d{1,3}){3})$/
const MAX_GROUPS = 8

/** Parses everything after the `@` (RFC 5322 section 3.4.1, RFC 5321 section 4.1.2). */
export function readDomain(scanner: AddressScanner): Domain {
  noteNearAt(scanner, readGap(scanner))
  if (scanner.next === '[') {
    const text = readDomainLiteral(scanner)
    readGap(scanner)
    if (scanner.next !== undefined) throw scanner.error('text_after_literal')
    return { text, ascii: null }
  }
  const labels: string[] = []
  for (;;) {
    if (labels.length > 0) noteObsolete(scanner, readGap(scanner))
    labels.push(readLabel(scanner, labels.length))
    const after = readGap(scanner)
    if (scanner.next === undefined) break
    if (scanner.next !== '.') {
      const isText = isAtomCharacter(scanner.next) && (after.hasSpace || after.hasComment)
      throw scanner.error(isText ? 'text_after_comment' : 'atom_character')
    }
    noteObsolete(scanner, after)
    scanner.take()
  }
  return toDomain(scanner, labels)
}

function readLabel(scanner: AddressScanner, index: number): string {
  if (scanner.next === '-') throw scanner.error('hyphen_start')
  let label = ''
  while (isAtomCharacter(scanner.next)) label += scanner.take()
  if (label.endsWith('-')) throw scanner.error('hyphen_end')
  if (label !== '') return label
  if (scanner.next === '.') throw scanner.error(index === 0 ? 'dot_start' : 'consecutive_dots')
  if (scanner.next === undefined) throw scanner.error(index === 0 ? 'no_domain' : 'dot_end')
  throw scanner.error('atom_character')
}

function toDomain(scanner: AddressScanner, labels: readonly string[]): Domain {
  const text = labels.join('.')
  const last = labels.at(-1) ?? ''
  if (labels.length === 1) scanner.note('single_label_domain')
  if (/^\d+$/.test(last)) scanner.note('numeric_top_level')
  if ([...text].some(isBeyondAscii)) scanner.note('internationalized')
  const isHost = labels.every((label) => [...label].every(isHostCharacter))
  // Not a host name if it has no ASCII (Punycode) form, for example because of a disallowed emoji.
  const ascii = isHost ? toDnsName(text) : ''
  if (ascii === '') scanner.note('not_a_host')
  const wire = ascii === '' ? text : ascii
  // RFC 1035 section 2.3.4
  if (wire.split('.').some((label) => Buffer.byteLength(label) > 63)) scanner.note('label_too_long')
  if (Buffer.byteLength(wire) > 255) scanner.note('domain_too_long')
  return { text, ascii: ascii === '' ? null : ascii }
}

function isHostCharacter(character: string): boolean {
  return /^[A-Za-z0-9-]$/.test(character) || isBeyondAscii(character)
}

/** Plain names are returned unchanged: WHATWG URLs would read `255.255.255.255` or `1.2` as an IP address. */
function toDnsName(text: string): string {
  return /^[A-Za-z0-9.-]+$/.test(text) ? text.toLowerCase() : domainToASCII(text)
}

/** Parses `[…]` and its content (RFC 5321 section 4.1.3). */
function readDomainLiteral(scanner: AddressScanner): string {
  scanner.take()
  let content = ''
  let isObsolete = false
  for (;;) {
    const character = scanner.next
    if (character === undefined) throw scanner.error('unclosed_literal')
    if (character === ']') break
    if (character === '\\') {
      content += `\\${readQuotedPair(scanner)}`
      isObsolete = true
    } else if (character === '\t' || character === '\r') {
      readSpace(scanner)
      content += ' '
    } else {
      if (isObsoleteControl(character)) isObsolete = true
      else if (!isPrintable(character) || character === '[') throw scanner.error('literal_character')
      content += scanner.take()
    }
  }
  scanner.take()
  if (isObsolete) scanner.note('domain_literal_obsolete')
  else noteAddress(scanner, content)
  return `[${content}]`
}

function noteAddress(scanner: AddressScanner, content: string): void {
  if (!IPV6_TAG.test(content)) {
    scanner.note(isIPv4(content) ? 'address_literal' : 'domain_literal')
    return
  }
  const text = content.replace(IPV6_TAG, '')
  const embedded = IPV4_AT_END.exec(text)?.[1]
  // The last 32 bits may be written as an IPv4 address (RFC 4291 section 2.2); they count as two groups.
  const groups = embedded !== undefined && isIPv4(embedded) ? `${text.slice(0, -embedded.length)}0:0` : text
  noteIpv6(scanner, groups)
}

function noteIpv6(scanner: AddressScanner, text: string): void {
  const groups = text.split(':')
  const gap = text.indexOf('::')
  if (gap === -1) {
    if (groups.length !== MAX_GROUPS) scanner.note('ipv6_group_count')
  } else if (gap !== text.lastIndexOf('::')) scanner.note('ipv6_two_gaps')
  else {
    // Splitting at a double colon at an end leaves one additional empty text.
    const max = gap === 0 || gap === text.length - 2 ? MAX_GROUPS + 1 : MAX_GROUPS
    if (groups.length > max) scanner.note('ipv6_too_many_groups')
    else if (groups.length === max) scanner.note('ipv6_shortened_by_one')
  }
  if (/^:(?!:)/.test(text)) scanner.note('ipv6_colon_start')
  if (/(?<!:):$/.test(text)) scanner.note('ipv6_colon_end')
  if (groups.some((group) => !/^[0-9A-Fa-f]{0,4}$/.test(group))) scanner.note('ipv6_character')
  else scanner.note('address_literal')
}
