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

/** In ascending order of severity. The codes are those of isemail; null for what it does not report. */
export const DIAGNOSES = {
  valid: { code: 0, category: 'valid', message: 'The address is valid.' },
  single_label_domain: { code: null, category: 'rfc5321', message: 'The domain is a single label.' },
  numeric_top_level: { code: 10, category: 'rfc5321', message: 'The top-level domain begins with a digit.' },
  quoted_string: { code: 11, category: 'rfc5321', message: 'The local part is a quoted string.' },
  address_literal: { code: 12, category: 'rfc5321', message: 'The domain is an IP address in brackets.' },
  internationalized: { code: null, category: 'rfc6531', message: 'The address needs SMTPUTF8 (RFC 6531).' },
  comment: { code: 17, category: 'cfws', message: 'The address contains a comment.' },
  white_space: { code: 18, category: 'cfws', message: 'The address contains folding white space.' },
  ipv6_shortened_by_one: {
    code: 39,
    category: 'deprecated',
    message: 'The IPv6 literal abbreviates a single group.',
  },
  quoted_words: { code: 33, category: 'deprecated', message: 'The local part consists of quoted words.' },
  obsolete_white_space: {
    code: 34,
    category: 'deprecated',
    message: 'White space is at an obsolete position.',
  },
  obsolete_quoted_text: {
    code: 35,
    category: 'deprecated',
    message: 'A quoted string contains a control character.',
  },
  obsolete_quoted_pair: {
    code: 36,
    category: 'deprecated',
    message: 'A quoted pair contains a control character.',
  },
  obsolete_comment: { code: 37, category: 'deprecated', message: 'A comment is at an obsolete position.' },
  obsolete_comment_text: {
    code: 38,
    category: 'deprecated',
    message: 'A comment contains a control character.',
  },
  space_near_at: { code: 49, category: 'deprecated', message: 'White space or a comment is next to the @.' },
  not_a_host: {
    code: 65,
    category: 'rfc5322',
    message: 'The domain contains characters that are not allowed in host names.',
  },
  too_long: { code: 66, category: 'rfc5322', message: 'The address is longer than 254 octets.' },
  local_too_long: { code: 67, category: 'rfc5322', message: 'The local part is longer than 64 octets.' },
  domain_too_long: { code: 68, category: 'rfc5322', message: 'The domain is longer than 255 octets.' },
  label_too_long: {
    code: 69,
    category: 'rfc5322',
    message: 'A label of the domain is longer than 63 octets.',
  },
  domain_literal: { code: 70, category: 'rfc5322', message: 'The domain literal is not an IP address.' },
  domain_literal_obsolete: {
    code: 71,
    category: 'rfc5322',
    message: 'The domain literal contains obsolete characters.',
  },
  ipv6_group_count: {
    code: 72,
    category: 'rfc5322',
    message: 'The IPv6 literal has too few or too many groups.',
  },
  ipv6_two_gaps: {
    code: 73,
    category: 'rfc5322',
    message: 'The IPv6 literal has more than one double colon.',
  },
  ipv6_character: {
    code: 74,
    category: 'rfc5322',
    message: 'A group of the IPv6 literal is not a hexadecimal number.',
  },
  ipv6_too_many_groups: {
    code: 75,
    category: 'rfc5322',
    message: 'The IPv6 literal has too many groups around its double colon.',
  },
  ipv6_colon_start: {
    code: 76,
    category: 'rfc5322',
    message: 'The IPv6 literal begins with a single colon.',
  },
  ipv6_colon_end: { code: 77, category: 'rfc5322', message: 'The IPv6 literal ends with a single colon.' },
  no_local_part: { code: 130, category: 'error', message: 'The local part before the @ is missing.' },
  no_domain: { code: 131, category: 'error', message: 'The domain is missing.' },
  consecutive_dots: { code: 132, category: 'error', message: 'Two dots are adjacent.' },
  dot_start: { code: 141, category: 'error', message: 'A part begins with a dot.' },
  dot_end: { code: 142, category: 'error', message: 'A part ends with a dot.' },
  hyphen_start: { code: 143, category: 'error', message: 'A label of the domain begins with a hyphen.' },
  hyphen_end: { code: 144, category: 'error', message: 'A label of the domain ends with a hyphen.' },
  text_after_quoted_string: { code: 134, category: 'error', message: 'Text follows a quoted string.' },
  text_after_comment: { code: 133, category: 'error', message: 'Text follows white space or a comment.' },
  text_after_literal: { code: 135, category: 'error', message: 'Text follows the domain literal.' },
  atom_character: { code: 137, category: 'error', message: 'A character needs quotes at this position.' },
  quoted_character: {
    code: 138,
    category: 'error',
    message: 'A character is not allowed in a quoted string.',
  },
  quoted_pair_character: {
    code: 136,
    category: 'error',
    message: 'A character is not allowed after a backslash.',
  },
  comment_character: { code: 139, category: 'error', message: 'A character is not allowed in a comment.' },
  literal_character: {
    code: 129,
    category: 'error',
    message: 'A character is not allowed in a domain literal.',
  },
  backslash_end: { code: 140, category: 'error', message: 'The address ends with a backslash.' },
  unclosed_quoted_string: { code: 145, category: 'error', message: 'A quoted string is not closed.' },
  unclosed_comment: { code: 146, category: 'error', message: 'A comment is not closed.' },
  unclosed_literal: { code: 147, category: 'error', message: 'The domain literal is not closed.' },
  return_without_line_feed: {
    code: 150,
    category: 'error',
    message: 'A carriage return is not followed by a line feed.',
  },
  line_end_without_space: {
    code: 149,
    category: 'error',
    message: 'A line end is not followed by white space.',
  },
  empty_line: { code: 148, category: 'error', message: 'Two line ends are adjacent.' },
} as const satisfies Readonly<
  Record<string, { code: number | null; category: AddressCategory; message: string }>
>

export type Diagnosis = keyof typeof DIAGNOSES

const IN_ORDER = Object.keys(DIAGNOSES) as Diagnosis[]
const BY_CODE: ReadonlyMap<number | null, Diagnosis> = new Map([
  ...IN_ORDER.map((name): [number | null, Diagnosis] => [DIAGNOSES[name].code, name]),
  // A dot after the literal.
  [162, 'text_after_literal'],
])

/** @param code a diagnosis of isemail that its default options can report */
export function fromCode(code: number): Diagnosis {
  const found = BY_CODE.get(code)
  if (found === undefined) throw new RangeError(`isemail has reported ${code}`)
  return found
}

/** The most severe of several diagnoses; `valid` if there are none. */
export function mostSevere(found: readonly Diagnosis[]): Diagnosis {
  return IN_ORDER.findLast((name) => found.includes(name)) ?? 'valid'
}
