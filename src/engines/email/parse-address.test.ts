import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/property.ts'
import { ISEMAIL_TESTS, readIsemailSuite } from '../../../test/utility/isemail-suite.ts'
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

test('an error contains its position', () => {
  assert.equal(
    parseAddress('jane doe@example.com').message,
    'Text follows white space or a comment (column 6).',
  )
})

test('any text gets a diagnosis, however long or deeply nested', () => {
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
