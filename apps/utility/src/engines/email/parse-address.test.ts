import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '@tollbook/testing/property'
import { ISEMAIL_TESTS, readIsemailSuite } from '@tollbook/testing/utility/isemail-suite'
import isemail from 'isemail'
import { fromCode } from './diagnosis.ts'
import { parseAddress } from './parse-address.ts'

test('all 164 addresses of the isemail suite get the diagnosis of the suite', () => {
  const cases = readIsemailSuite(ISEMAIL_TESTS)
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

test('quotes and backslashes are not part of the meaning of a local part', () => {
  assert.equal(parseAddress('"john\\ \\"q\\" doe"@example.com').local?.value, 'john "q" doe')
  assert.equal(parseAddress('(he)john(her)@example.com(there)').local?.text, 'john')
})

test('a space in a quoted string is part of a mailbox, a control character is not', () => {
  assert.equal(parseAddress('"jane doe"@example.com').diagnosis, 'quoted_string')
  assert.equal(parseAddress('"jane\u0001doe"@example.com').diagnosis, 'obsolete_quoted_text')
})

test('a label whose DNS form is longer than 63 octets is too long, also if it is the last one', () => {
  // 30 letters of ASCII, 30 more, and `é` take 62 octets in UTF-8; `xn--…-9ua` takes more than 63.
  const label = `${'x'.repeat(30)}é${'x'.repeat(30)}`
  assert.equal(parseAddress(`a@${label}`).diagnosis, 'label_too_long')
  assert.equal(parseAddress(`a@${label}.com`).diagnosis, 'label_too_long')
})

test('every diagnosis that isemail can report has one of ours', () => {
  const { diagnoses } = isemail as unknown as { diagnoses: Record<string, number> }
  // They need options that are not set.
  const optional = ['undesiredNonAscii', 'errUnknownTLD', 'errDomainTooShort']
  for (const [name, code] of Object.entries(diagnoses)) {
    // Nothing in isemail reports `rfc5321TLD`.
    const isUnused = optional.includes(name) || name === 'rfc5321TLD'
    if (isUnused) assert.throws(() => fromCode(code), name)
    else assert.ok(fromCode(code), name)
  }
})

test('any text gets a diagnosis, however long or deeply nested', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
      const { category, isMailbox, local } = parseAddress(text)
      assert.equal(category === 'error', local === null)
      assert.ok(!isMailbox || text.includes('@'))
    }),
  )
  for (const piece of ['(', '"', '\\', 'a.', '\r\n ', 'IPv6:', '@']) {
    const { diagnosis } = parseAddress(piece.repeat(50_000))
    assert.notEqual(diagnosis, 'valid')
  }
})
