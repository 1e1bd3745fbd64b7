/**
 * How an address relates to the standards, from the plainest form to not an address:
 * - `valid`: a Mailbox of RFC 5321 in its usual form
 * - `rfc5321`: a Mailbox of RFC 5321 in a form that many systems reject
 * - `rfc6531`: a Mailbox that needs SMTPUTF8 in transit
 * - `cfws`: an address of RFC 5322 with comments or folding, which appear in messages but never in SMTP
 * - `deprecated`: valid only under the obsolete syntax of RFC 5322 section 4
 * - `rfc5322`: an addr-spec of RFC 5322 that SMTP cannot deliver to
 * - `error`: not an address
 */
export type AddressCategory = 'valid' | 'rfc5321' | 'rfc6531' | 'cfws' | 'deprecated' | 'rfc5322' | 'error'

/** In ascending order of severity; the diagnosis of an address is its most severe one. */
export const DIAGNOSES = {
  valid: { category: 'valid', message: 'The address is valid.' },
  single_label_domain: { category: 'rfc5321', message: 'The domain is a single label.' },
  numeric_top_level: { category: 'rfc5321', message: 'The top-level domain is a number.' },
  quoted_string: { category: 'rfc5321', message: 'The local part is a quoted string.' },
  address_literal: { category: 'rfc5321', message: 'The domain is an IP address in brackets.' },
  internationalized: { category: 'rfc6531', message: 'The address needs SMTPUTF8 (RFC 6531).' },
  comment: { category: 'cfws', message: 'The address contains a comment.' },
  white_space: { category: 'cfws', message: 'The address contains folding white space.' },
  ipv6_shortened_by_one: { category: 'deprecated', message: 'The IPv6 literal abbreviates a single group.' },
  quoted_words: { category: 'deprecated', message: 'The local part consists of quoted words.' },
  obsolete_white_space: { category: 'deprecated', message: 'White space is at an obsolete position.' },
  obsolete_quoted_text: { category: 'deprecated', message: 'A quoted string contains a control character.' },
  obsolete_quoted_pair: { category: 'deprecated', message: 'A quoted pair contains a control character.' },
  obsolete_comment: { category: 'deprecated', message: 'A comment is at an obsolete position.' },
  obsolete_comment_text: { category: 'deprecated', message: 'A comment contains a control character.' },
  space_near_at: { category: 'deprecated', message: 'White space or a comment is next to the @.' },
  not_a_host: {
    category: 'rfc5322',
    message: 'The domain contains characters that are not allowed in host names.',
  },
  too_long: { category: 'rfc5322', message: 'The address is longer than 254 octets.' },
  local_too_long: { category: 'rfc5322', message: 'The local part is longer than 64 octets.' },
  domain_too_long: { category: 'rfc5322', message: 'The domain is longer than 255 octets.' },
  label_too_long: { category: 'rfc5322', message: 'A label of the domain is longer than 63 octets.' },
  domain_literal: { category: 'rfc5322', message: 'The domain literal is not an IP address.' },
  domain_literal_obsolete: {
    category: 'rfc5322',
    message: 'The domain literal contains obsolete characters.',
  },
  ipv6_group_count: { category: 'rfc5322', message: 'The IPv6 literal has too few or too many groups.' },
  ipv6_two_gaps: { category: 'rfc5322', message: 'The IPv6 literal has more than one double colon.' },
  ipv6_character: {
    category: 'rfc5322',
    message: 'A group of the IPv6 literal is not a hexadecimal number.',
  },
  ipv6_too_many_groups: {
    category: 'rfc5322',
    message: 'The IPv6 literal has too many groups around its double colon.',
  },
  ipv6_colon_start: { category: 'rfc5322', message: 'The IPv6 literal begins with a single colon.' },
  ipv6_colon_end: { category: 'rfc5322', message: 'The IPv6 literal ends with a single colon.' },
  no_local_part: { category: 'error', message: 'The local part before the @ is missing.' },
  no_domain: { category: 'error', message: 'The domain is missing.' },
  consecutive_dots: { category: 'error', message: 'Two dots are adjacent.' },
  dot_start: { category: 'error', message: 'A part begins with a dot.' },
  dot_end: { category: 'error', message: 'A part ends with a dot.' },
  hyphen_start: { category: 'error', message: 'A label of the domain begins with a hyphen.' },
  hyphen_end: { category: 'error', message: 'A label of the domain ends with a hyphen.' },
  text_after_quoted_string: { category: 'error', message: 'Text follows a quoted string.' },
  text_after_comment: { category: 'error', message: 'Text follows white space or a comment.' },
  text_after_literal: { category: 'error', message: 'Text follows the domain literal.' },
  atom_character: { category: 'error', message: 'A character needs quotes at this position.' },
  quoted_character: { category: 'error', message: 'A character is not allowed in a quoted string.' },
  quoted_pair_character: { category: 'error', message: 'A character is not allowed after a backslash.' },
  comment_character: { category: 'error', message: 'A character is not allowed in a comment.' },
  literal_character: { category: 'error', message: 'A character is not allowed in a domain literal.' },
  backslash_end: { category: 'error', message: 'The address ends with a backslash.' },
  unclosed_quoted_string: { category: 'error', message: 'A quoted string is not closed.' },
  unclosed_comment: { category: 'error', message: 'A comment is not closed.' },
  unclosed_literal: { category: 'error', message: 'The domain literal is not closed.' },
  return_without_line_feed: {
    category: 'error',
    message: 'A carriage return is not followed by a line feed.',
  },
  line_end_without_space: { category: 'error', message: 'A line end is not followed by white space.' },
  empty_line: { category: 'error', message: 'Two line ends are adjacent.' },
} as const satisfies Readonly<Record<string, { category: AddressCategory; message: string }>>

export type Diagnosis = keyof typeof DIAGNOSES

/** Diagnoses of a text that is not an address. */
export type FatalDiagnosis = {
  [Name in Diagnosis]: (typeof DIAGNOSES)[Name]['category'] extends 'error' ? Name : never
}[Diagnosis]

const SEVERITY: ReadonlyMap<Diagnosis, number> = new Map(
  Object.keys(DIAGNOSES).map((name, at) => [name as Diagnosis, at]),
)

/** The most severe of several diagnoses; `valid` if there are none. */
export function mostSevere(found: Iterable<Diagnosis>): Diagnosis {
  let result: Diagnosis = 'valid'
  for (const each of found) if ((SEVERITY.get(each) ?? 0) > (SEVERITY.get(result) ?? 0)) result = each
  return result
}

/** Thrown if parsing cannot continue. */
export class AddressError extends Error {
  readonly diagnosis: FatalDiagnosis
  /** Column in the address, from 1. */
  readonly column: number
  constructor(diagnosis: FatalDiagnosis, column: number) {
    super(DIAGNOSES[diagnosis].message)
    this.name = 'AddressError'
    this.diagnosis = diagnosis
    this.column = column
  }
}
