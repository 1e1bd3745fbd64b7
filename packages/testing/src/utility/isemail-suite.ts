import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { Diagnosis } from '@tollbook/utility/engines/email/diagnosis'

/** The suite's name of each diagnosis. Its DNS warnings do not concern the syntax, which is then valid. */
const NAMES: Readonly<Record<string, Diagnosis>> = {
  VALID: 'valid',
  DNSWARN_NO_RECORD: 'valid',
  DNSWARN_NO_MX_RECORD: 'valid',
  RFC5321_TLD: 'single_label_domain',
  RFC5321_TLDNUMERIC: 'numeric_top_level',
  RFC5321_QUOTEDSTRING: 'quoted_string',
  RFC5321_ADDRESSLITERAL: 'address_literal',
  RFC5321_IPV6DEPRECATED: 'ipv6_shortened_by_one',
  CFWS_COMMENT: 'comment',
  CFWS_FWS: 'white_space',
  DEPREC_LOCALPART: 'quoted_words',
  DEPREC_FWS: 'obsolete_white_space',
  DEPREC_QTEXT: 'obsolete_quoted_text',
  DEPREC_QP: 'obsolete_quoted_pair',
  DEPREC_COMMENT: 'obsolete_comment',
  DEPREC_CTEXT: 'obsolete_comment_text',
  DEPREC_CFWS_NEAR_AT: 'space_near_at',
  RFC5322_DOMAIN: 'not_a_host',
  RFC5322_TOOLONG: 'too_long',
  RFC5322_LOCAL_TOOLONG: 'local_too_long',
  RFC5322_DOMAIN_TOOLONG: 'domain_too_long',
  RFC5322_LABEL_TOOLONG: 'label_too_long',
  RFC5322_DOMAINLITERAL: 'domain_literal',
  RFC5322_DOMLIT_OBSDTEXT: 'domain_literal_obsolete',
  RFC5322_IPV6_GRPCOUNT: 'ipv6_group_count',
  RFC5322_IPV6_2X2XCOLON: 'ipv6_two_gaps',
  RFC5322_IPV6_BADCHAR: 'ipv6_character',
  RFC5322_IPV6_MAXGRPS: 'ipv6_too_many_groups',
  RFC5322_IPV6_COLONSTRT: 'ipv6_colon_start',
  RFC5322_IPV6_COLONEND: 'ipv6_colon_end',
  ERR_NODOMAIN: 'no_domain',
  ERR_NOLOCALPART: 'no_local_part',
  ERR_CONSECUTIVEDOTS: 'consecutive_dots',
  ERR_DOT_START: 'dot_start',
  ERR_DOT_END: 'dot_end',
  ERR_DOMAINHYPHENSTART: 'hyphen_start',
  ERR_DOMAINHYPHENEND: 'hyphen_end',
  ERR_ATEXT_AFTER_QS: 'text_after_quoted_string',
  ERR_ATEXT_AFTER_CFWS: 'text_after_comment',
  ERR_ATEXT_AFTER_DOMLIT: 'text_after_literal',
  ERR_EXPECTING_ATEXT: 'atom_character',
  ERR_EXPECTING_QTEXT: 'quoted_character',
  ERR_EXPECTING_QPAIR: 'quoted_pair_character',
  ERR_EXPECTING_CTEXT: 'comment_character',
  ERR_EXPECTING_DTEXT: 'literal_character',
  ERR_BACKSLASHEND: 'backslash_end',
  ERR_UNCLOSEDQUOTEDSTR: 'unclosed_quoted_string',
  ERR_UNCLOSEDCOMMENT: 'unclosed_comment',
  ERR_UNCLOSEDDOMLIT: 'unclosed_literal',
  ERR_CR_NO_LF: 'return_without_line_feed',
  ERR_FWS_CRLF_END: 'line_end_without_space',
  ERR_FWS_CRLF_X2: 'empty_line',
}

/** `test@io` has an MX record, so the suite, which queries the DNS, has no warning about its single label. */
const DECIDED_BY_DNS: Readonly<Record<string, Diagnosis>> = { '5': 'single_label_domain' }

/** An address of the suite, and its expected diagnosis. */
export type IsemailCase = { readonly id: string; readonly address: string; readonly diagnosis: Diagnosis }

/** The suite as bundled with the sources. */
export const ISEMAIL_TESTS = new URL(
  '../../../../apps/utility/src/engines/email/golden/isemail-tests.xml',
  import.meta.url,
)

/** Parses the `tests.xml` of isemail. */
export function readIsemailSuite(file: string | URL): readonly IsemailCase[] {
  const xml = readFileSync(file, 'utf8')
  return [...xml.matchAll(/<test id="(\d+)">([\s\S]*?)<\/test>/g)].map(([, id = '', body = '']) => {
    const name = /<diagnosis>ISEMAIL_(\w+)<\/diagnosis>/.exec(body)?.[1] ?? ''
    const diagnosis = DECIDED_BY_DNS[id] ?? NAMES[name]
    assert.ok(diagnosis, `case ${id}: ${name}`)
    return { id, address: toAddress(/<address>([\s\S]*?)<\/address>/.exec(body)?.[1] ?? ''), diagnosis }
  })
}

/** The file writes control characters as their pictures from U+2400 on. */
function toAddress(xml: string): string {
  return xml
    .replace(/&#x([0-9A-Fa-f]+);/g, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)))
    .replace(/&(lt|gt|quot|apos|amp);/g, (_, name: string) => ENTITIES[name] ?? '')
    .replace(/[\u2400-\u241f]/g, (picture) => String.fromCodePoint(picture.charCodeAt(0) - 0x2400))
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' }
