/**
 * How an address stands to the standards, from the plainest to no address at all:
 * - `valid`: a Mailbox of RFC 5321 in its everyday form
 * - `rfc5321`: a Mailbox of RFC 5321 in a form that many systems refuse
 * - `rfc6531`: a Mailbox that needs SMTPUTF8 on the way
 * - `cfws`: an address of RFC 5322 with comments or folding, which stand in messages but never in SMTP
 * - `deprecated`: only the obsolete syntax of RFC 5322 section 4 has it
 * - `rfc5322`: an addr-spec of RFC 5322 that SMTP cannot deliver to
 * - `error`: no address
 */
export type AddressCategory = 'valid' | 'rfc5321' | 'rfc6531' | 'cfws' | 'deprecated' | 'rfc5322' | 'error'

/** From the least to the most serious; the diagnosis of an address is its most serious one. */
export const DIAGNOSES = {
  valid: { category: 'valid', message: 'The address is valid.' },
  single_label_domain: { category: 'rfc5321', message: 'The domain is a single label.' },
  numeric_top_level: { category: 'rfc5321', message: 'The top-level domain is a number.' },
  quoted_string: { category: 'rfc5321', message: 'The local part is a quoted string.' },
  address_literal: { category: 'rfc5321', message: 'The domain is an IP address in brackets.' },
  internationalized: { category: 'rfc6531', message: 'The address needs SMTPUTF8 (RFC 6531).' },
  comment: { category: 'cfws', message: 'The address holds a comment.' },
  white_space: { category: 'cfws', message: 'The address holds folding white space.' },
  ipv6_shortened_by_one: { category: 'deprecated', message: 'The IPv6 literal shortens a single group.' },
  quoted_words: { category: 'deprecated', message: 'The local part is made of quoted words.' },
  obsolete_white_space: { category: 'deprecated', message: 'White space stands where it is obsolete.' },
  obsolete_quoted_text: { category: 'deprecated', message: 'A quoted string holds a control character.' },
  obsolete_quoted_pair: { category: 'deprecated', message: 'A quoted pair holds a control character.' },
  obsolete_comment: { category: 'deprecated', message: 'A comment stands where it is obsolete.' },
  obsolete_comment_text: { category: 'deprecated', message: 'A comment holds a control character.' },
  space_near_at: { category: 'deprecated', message: 'White space or a comment stands beside the @.' },
  not_a_host: { category: 'rfc5322', message: 'The domain has characters that no host name has.' },
  too_long: { category: 'rfc5322', message: 'The address is longer than 254 octets.' },
  local_too_long: { category: 'rfc5322', message: 'The local part is longer than 64 octets.' },
  domain_too_long: { category: 'rfc5322', message: 'The domain is longer than 255 octets.' },
  label_too_long: { category: 'rfc5322', message: 'A label of the domain is longer than 63 octets.' },
  domain_literal: { category: 'rfc5322', message: 'The domain literal is no IP address.' },
  domain_literal_obsolete: { category: 'rfc5322', message: 'The domain literal holds obsolete characters.' },
  ipv6_group_count: { category: 'rfc5322', message: 'The IPv6 literal has too few or too many groups.' },
  ipv6_two_gaps: { category: 'rfc5322', message: 'The IPv6 literal has more than one double colon.' },
  ipv6_character: { category: 'rfc5322', message: 'A group of the IPv6 literal is no hexadecimal number.' },
  ipv6_too_many_groups: {
    category: 'rfc5322',
    message: 'The IPv6 literal has too many groups beside its gap.',
  },
  ipv6_colon_start: { category: 'rfc5322', message: 'The IPv6 literal begins with a single colon.' },
  ipv6_colon_end: { category: 'rfc5322', message: 'The IPv6 literal ends with a single colon.' },
  no_local_part: { category: 'error', message: 'Nothing stands before the @.' },
  no_domain: { category: 'error', message: 'There is no domain.' },
  consecutive_dots: { category: 'error', message: 'Two dots follow each other.' },
  dot_start: { category: 'error', message: 'A part begins with a dot.' },
  dot_end: { category: 'error', message: 'A part ends with a dot.' },
  hyphen_start: { category: 'error', message: 'A label of the domain begins with a hyphen.' },
  hyphen_end: { category: 'error', message: 'A label of the domain ends with a hyphen.' },
  text_after_quoted_string: { category: 'error', message: 'Text follows a quoted string.' },
  text_after_comment: { category: 'error', message: 'Text follows white space or a comment.' },
  text_after_literal: { category: 'error', message: 'Text follows the domain literal.' },
  atom_character: { category: 'error', message: 'A character stands where it needs quotes.' },
  quoted_character: { category: 'error', message: 'A character cannot stand in a quoted string.' },
  quoted_pair_character: { category: 'error', message: 'A character cannot follow a backslash.' },
  comment_character: { category: 'error', message: 'A character cannot stand in a comment.' },
  literal_character: { category: 'error', message: 'A character cannot stand in a domain literal.' },
  backslash_end: { category: 'error', message: 'The address ends with a backslash.' },
  unclosed_quoted_string: { category: 'error', message: 'A quoted string is not closed.' },
  unclosed_comment: { category: 'error', message: 'A comment is not closed.' },
  unclosed_literal: { category: 'error', message: 'The domain literal is not closed.' },
  return_without_line_feed: { category: 'error', message: 'A carriage return stands without a line feed.' },
  line_end_without_space: { category: 'error', message: 'A line end is not followed by white space.' },
  empty_line: { category: 'error', message: 'Two line ends follow each other.' },
} as const satisfies Readonly<Record<string, { category: AddressCategory; message: string }>>

export type Diagnosis = keyof typeof DIAGNOSES

/** Diagnoses that make a text no address at all. */
export type FatalDiagnosis = {
  [Name in Diagnosis]: (typeof DIAGNOSES)[Name]['category'] extends 'error' ? Name : never
}[Diagnosis]

const SERIOUSNESS: ReadonlyMap<Diagnosis, number> = new Map(
  Object.keys(DIAGNOSES).map((name, at) => [name as Diagnosis, at]),
)

/** The most serious of some diagnoses; `valid` for none. */
export function worstOf(found: Iterable<Diagnosis>): Diagnosis {
  let worst: Diagnosis = 'valid'
  for (const each of found) if ((SERIOUSNESS.get(each) ?? 0) > (SERIOUSNESS.get(worst) ?? 0)) worst = each
  return worst
}

/** Thrown where parsing cannot go on. */
export class AddressFault extends Error {
  readonly diagnosis: FatalDiagnosis
  /** Place in the address, from 1. */
  readonly column: number
  constructor(diagnosis: FatalDiagnosis, column: number) {
    super(DIAGNOSES[diagnosis].message)
    this.name = 'AddressFault'
    this.diagnosis = diagnosis
    this.column = column
  }
}
