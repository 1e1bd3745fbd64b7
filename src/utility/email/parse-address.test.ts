import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fc } from '../../../test/property.ts'
import type { Diagnosis } from './diagnosis.ts'
import { parseAddress } from './parse-address.ts'

/** What the suite calls each diagnosis. Its DNS warnings say nothing of the form, which is valid then. */
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

/** `test@io` has an MX record, so the suite, which asks the DNS, finds nothing to say of its single label. */
const DECIDED_BY_DNS: Readonly<Record<string, Diagnosis>> = { '5': 'single_label_domain' }

type Case = { readonly id: string; readonly address: string; readonly diagnosis: Diagnosis }

function readSuite(): readonly Case[] {
  const xml = readFileSync(new URL('golden/isemail-tests.xml', import.meta.url), 'utf8')
  return [...xml.matchAll(/<test id="(\d+)">([\s\S]*?)<\/test>/g)].map(([, id = '', body = '']) => {
    const name = /<diagnosis>ISEMAIL_(\w+)<\/diagnosis>/.exec(body)?.[1] ?? ''
    const diagnosis = DECIDED_BY_DNS[id] ?? NAMES[name]
    assert.ok(diagnosis, `case ${id}: ${name}`)
    return { id, address: toAddress(/<address>([\s\S]*?)<\/address>/.exec(body)?.[1] ?? ''), diagnosis }
  })
}

/** Control characters stand in the file as their pictures from U+2400 on. */
function toAddress(xml: string): string {
  return xml
    .replace(/&#x([0-9A-Fa-f]+);/g, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)))
    .replace(/&(lt|gt|quot|apos|amp);/g, (_, name: string) => ENTITIES[name] ?? '')
    .replace(/[\u2400-\u241f]/g, (picture) => String.fromCodePoint(picture.charCodeAt(0) - 0x2400))
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' }

test('each of the 164 addresses of the isemail suite gets the diagnosis that the suite gives it', () => {
  const cases = readSuite()
  assert.equal(cases.length, 164)
  const found = cases.map(({ id, address }) => ({ id, diagnosis: parseAddress(address).diagnosis }))
  assert.deepEqual(
    found,
    cases.map(({ id, diagnosis }) => ({ id, diagnosis })),
  )
})

test('international addresses are mailboxes that need SMTPUTF8, and their domains have an ASCII form', () => {
  const parsed = parseAddress('用户@例え.jp')
  assert.equal(parsed.diagnosis, 'internationalized')
  assert.equal(parsed.isMailbox, true)
  assert.equal(parsed.domain?.ascii, 'xn--r8jz45g.jp')
  // RFC 6531 section 3.3: octets of UTF-8 count; 33 letters of two octets are 66.
  assert.equal(parseAddress(`${'é'.repeat(33)}@example.com`).diagnosis, 'local_too_long')
  assert.equal(parseAddress('a@\ud800.com').diagnosis, 'atom_character')
})

test('quotes and backslashes are no part of what a local part says', () => {
  assert.equal(parseAddress('"john\\ \\"q\\" doe"@example.com').local?.value, 'john "q" doe')
  assert.equal(parseAddress('(he)john(her)@example.com(there)').local?.text, 'john')
})

test('an error says where it is', () => {
  assert.equal(
    parseAddress('jane doe@example.com').message,
    'Text follows white space or a comment (column 6).',
  )
})

test('any text gets a diagnosis, however long and deeply nested', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
      const { category, isMailbox } = parseAddress(text)
      assert.equal(category === 'error', parseAddress(text).local === null)
      assert.ok(!isMailbox || text.includes('@'))
    }),
  )
  for (const piece of ['(', '"', '\\', 'a.', '\r\n ', 'IPv6:', '@']) {
    const { diagnosis } = parseAddress(piece.repeat(50_000))
    assert.notEqual(diagnosis, 'valid')
  }
})
