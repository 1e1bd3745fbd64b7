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

/**
 * The code of isemail and the message of each diagnosis, in ascending order of severity; the code is null for what
 * isemail does not report.
 */
const MESSAGES = {
  valid: {
    valid: [0, 'The address is valid.'],
  },
  rfc5321: {
    single_label_domain: [null, 'The domain is a single label.'],
    numeric_top_level: [10, 'The top-level domain begins with a digit.'],
    quoted_string: [11, 'The local part is a quoted string.'],
    address_literal: [12, 'The domain is an IP address in brackets.'],
  },
  rfc6531: {
    internationalized: [null, 'The address needs SMTPUTF8 (RFC 6531).'],
  },
  cfws: {
    comment: [17, 'The address contains a comment.'],
    white_space: [18, 'The address contains folding white space.'],
  },
  deprecated: {
    ipv6_shortened_by_one: [39, 'The IPv6 literal abbreviates a single group.'],
    quoted_words: [33, 'The local part consists of quoted words.'],
    obsolete_white_space: [34, 'White space is at an obsolete position.'],
    obsolete_quoted_text: [35, 'A quoted string contains a control character.'],
    obsolete_quoted_pair: [36, 'A quoted pair contains a control character.'],
    obsolete_comment: [37, 'A comment is at an obsolete position.'],
    obsolete_comment_text: [38, 'A comment contains a control character.'],
    space_near_at: [49, 'White space or a comment is next to the @.'],
  },
  rfc5322: {
    not_a_host: [65, 'The domain contains characters that are not allowed in host names.'],
    too_long: [66, 'The address is longer than 254 octets.'],
    local_too_long: [67, 'The local part is longer than 64 octets.'],
    domain_too_long: [68, 'The domain is longer than 255 octets.'],
    label_too_long: [69, 'A label of the domain is longer than 63 octets.'],
    domain_literal: [70, 'The domain literal is not an IP address.'],
    domain_literal_obsolete: [71, 'The domain literal contains obsolete characters.'],
    ipv6_group_count: [72, 'The IPv6 literal has too few or too many groups.'],
    ipv6_two_gaps: [73, 'The IPv6 literal has more than one double colon.'],
    ipv6_character: [74, 'A group of the IPv6 literal is not a hexadecimal number.'],
    ipv6_too_many_groups: [75, 'The IPv6 literal has too many groups around its double colon.'],
    ipv6_colon_start: [76, 'The IPv6 literal begins with a single colon.'],
    ipv6_colon_end: [77, 'The IPv6 literal ends with a single colon.'],
  },
  error: {
    no_local_part: [130, 'The local part before the @ is missing.'],
    no_domain: [131, 'The domain is missing.'],
    consecutive_dots: [132, 'Two dots are adjacent.'],
    dot_start: [141, 'A part begins with a dot.'],
    dot_end: [142, 'A part ends with a dot.'],
    hyphen_start: [143, 'A label of the domain begins with a hyphen.'],
    hyphen_end: [144, 'A label of the domain ends with a hyphen.'],
    text_after_quoted_string: [134, 'Text follows a quoted string.'],
    text_after_comment: [133, 'Text follows white space or a comment.'],
    text_after_literal: [135, 'Text follows the domain literal.'],
    atom_character: [137, 'A character needs quotes at this position.'],
    quoted_character: [138, 'A character is not allowed in a quoted string.'],
    quoted_pair_character: [136, 'A character is not allowed after a backslash.'],
    comment_character: [139, 'A character is not allowed in a comment.'],
    literal_character: [129, 'A character is not allowed in a domain literal.'],
    backslash_end: [140, 'The address ends with a backslash.'],
    unclosed_quoted_string: [145, 'A quoted string is not closed.'],
    unclosed_comment: [146, 'A comment is not closed.'],
    unclosed_literal: [147, 'The domain literal is not closed.'],
    return_without_line_feed: [150, 'A carriage return is not followed by a line feed.'],
    line_end_without_space: [149, 'A line end is not followed by white space.'],
    empty_line: [148, 'Two line ends are adjacent.'],
  },
} as const satisfies Readonly<
  Record<AddressCategory, Readonly<Record<string, readonly [number | null, string]>>>
>

export type Diagnosis = { [Category in AddressCategory]: keyof (typeof MESSAGES)[Category] }[AddressCategory]
type Description = {
  readonly code: number | null
  readonly category: AddressCategory
  readonly message: string
}

export const DIAGNOSES: Readonly<Record<Diagnosis, Description>> = Object.fromEntries(
  Object.entries(MESSAGES).flatMap(([category, diagnoses]) =>
    Object.entries(diagnoses).map(([name, [code, message]]) => [name, { code, category, message }]),
  ),
  // The keys of an object have no literal types.
) as Record<Diagnosis, Description>

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
export function withMaxSeverity(found: readonly Diagnosis[]): Diagnosis {
  return IN_ORDER.findLast((name) => found.includes(name)) ?? 'valid'
}
