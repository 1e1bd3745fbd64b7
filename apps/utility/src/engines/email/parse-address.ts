import { domainToASCII } from 'node:url'
import isemail from 'isemail'
import { type AddressCategory, DIAGNOSES, type Diagnosis, fromCode, withMaxSeverity } from './diagnosis.ts'

/** An e-mail address and how it relates to RFC 5321, 5322 and 6531. */
export type ParsedAddress = {
  readonly diagnosis: Diagnosis
  readonly category: AddressCategory
  /** Human-readable. */
  readonly message: string
  /** Whether SMTP can deliver to it, judging by its form alone. */
  readonly isMailbox: boolean
  /** Both are null if the text is not an address. */
  readonly local: LocalPart | null
  readonly domain: Domain | null
}

export type LocalPart = {
  /** As written, without surrounding comments and white space. */
  readonly text: string
  /** Its meaning: without quotes and backslashes. */
  readonly value: string
}

export type Domain = {
  /** As written, without comments and white space. */
  readonly text: string
  /** The DNS form: lower case, international labels in Punycode; null for a literal, or if there is no such form. */
  readonly ascii: string | null
}

const BEYOND_ASCII = /[^\0-\x7f]/
const LABELS = /^[A-Za-z0-9.-]+$/
/** RFC 1035 section 2.3.4. */
const MAX_LABEL = 63
/** RFC 6531 does not extend `quoted-pairSMTP`; isemail accepts any character after a backslash. */
const QUOTED_BEYOND_ASCII = /^\\[^\0-\x7f]/

/**
 * Parses one address by the grammar (`isemail`); nothing is looked up. Callers bound its length: the time grows
 * with the square of the number of different characters beyond ASCII in the domain.
 * @example
 * parseAddress('"a b"@example.com').diagnosis // 'quoted_string'
 */
export function parseAddress(address: string): ParsedAddress {
  if (!address.isWellFormed()) return describe('atom_character')
  const reported = fromCode(isemail.validate(underscoreSpaces(address), { errorLevel: true }))
  if (DIAGNOSES[reported].category === 'error') return describe(reported)
  const tokens = Array.from(address.matchAll(/\\.|./gsu), ([token]) => token)
  if (tokens.some((token) => QUOTED_BEYOND_ASCII.test(token))) return describe('quoted_pair_character')
  const [local, domain] = splitAddress(tokens)
  const isLiteral = domain.startsWith('[')
  const ascii = isLiteral ? null : toDnsName(domain)
  const found: Diagnosis[] = [reported]
  if (!isLiteral && !domain.includes('.')) found.push('single_label_domain')
  if (BEYOND_ASCII.test(local) || BEYOND_ASCII.test(domain)) found.push('internationalized')
  if (!isLiteral && ascii === null) found.push('not_a_host')
  // Of the last label isemail counts the octets of UTF-8, not those of its DNS form.
  if (ascii?.split('.').some((label) => label.length > MAX_LABEL)) found.push('label_too_long')
  const parts = { local: { text: local, value: toValue(local) }, domain: { text: domain, ascii } }
  return { ...describe(withMaxSeverity(found)), ...parts }
}

/** In quoted strings only, where isemail takes a space for a control character: `qtextSMTP` includes it (RFC 5321). */
function underscoreSpaces(address: string): string {
  return address.replaceAll(/"(?:\\.|[^"\\])*(?:"|$)/gsu, (quoted) => quoted.replaceAll(/(?<!\n) /g, '_'))
}

function describe(diagnosis: Diagnosis): ParsedAddress {
  const { category, message } = DIAGNOSES[diagnosis]
  const isMailbox = category === 'valid' || category === 'rfc5321' || category === 'rfc6531'
  return { diagnosis, category, message, isMailbox, local: null, domain: null }
}

/**
 * The parts of an address that isemail accepts, without comments, and without white space outside quotes.
 * @param tokens its characters; a backslash and what it quotes are one
 */
function splitAddress(tokens: readonly string[]): readonly [local: string, domain: string] {
  const parts: [string, string] = ['', '']
  let at: 0 | 1 = 0
  let depth = 0
  let end: '"' | ']' | null = null
  for (const token of tokens) {
    if (end !== null) {
      if (token === end) end = null
      parts[at] += token
    } else if (token === '(') depth += 1
    else if (token === ')') depth -= 1
    else if (depth > 0 || /^\s$/.test(token)) continue
    else if (token === '@') at = 1
    else {
      if (token === '"') end = '"'
      else if (token === '[') end = ']'
      parts[at] += token
    }
  }
  return parts
}

/** Quotes are outside of words in an address, and quoted by a backslash within them. */
function toValue(local: string): string {
  return local.replaceAll(/\\(.)|"/gsu, '$1')
}

/**
 * Null if it is no host name, for example because of a disallowed emoji. Plain names are returned unchanged:
 * WHATWG URLs would read `255.255.255.255` or `1.2` as an IP address.
 */
function toDnsName(domain: string): string | null {
  if (LABELS.test(domain)) return domain.toLowerCase()
  const isHost = [...domain].every((character) => LABELS.test(character) || BEYOND_ASCII.test(character))
  return (isHost && domainToASCII(domain)) || null
}
