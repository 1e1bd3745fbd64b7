import { isIPv4 } from 'node:net'
import { type AddressScanner, isObsoleteControl, isPrintable } from './address-scanner.ts'
import { readQuotedPair, readSpace } from './white-space.ts'

const IPV6_TAG = /^ipv6:/i
const IPV4_AT_END = /(?:^|:)(\d{1,3}(?:\.\d{1,3}){3})$/
const MAX_GROUPS = 8

/** Parses `[…]` and its content (RFC 5321 section 4.1.3). */
export function readDomainLiteral(scanner: AddressScanner): string {
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
