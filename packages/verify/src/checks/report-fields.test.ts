import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '@tollbook/testing/property'
import { listFields, listKeys } from './report-fields.ts'

test('every value of a document is identified by its path, days by their date', () => {
  const document = JSON.parse(
    '{"tx": 2, "flags": {"self_pay": {"tx": 1}}, "daily": [{"date": "2026-11-14", "tx": 2}], "offers": [{"price": 1}], "none": [], "nothing": {}}',
  )
  assert.deepEqual(
    [...listFields(document)],
    [
      ['tx', 2],
      ['flags.self_pay.tx', 1],
      ['daily.2026-11-14.date', '2026-11-14'],
      ['daily.2026-11-14.tx', 2],
      ['offers.0.price', 1],
      ['none', '[]'],
      ['nothing', '{}'],
    ],
  )
})

test('two records of one day, or of none, are identified by their index', () => {
  const day = { date: '2026-11-14', tx: 2 }
  assert(listFields({ daily: [day, day] }).has('daily.1.tx'))
  assert(listFields({ daily: [day, { tx: 1 }] }).has('daily.0.tx'))
  assert(listFields({ daily: [null, day] }).has('daily.0'))
  assert(listFields({ daily: [{ date: 'tx.usd' }] }).has('daily.0.date'))
})

test('names of JavaScript built-ins are ordinary names', () => {
  const document = JSON.parse('{"__proto__": {"tx": 1}, "constructor": 2, "flags": {"toString": {"usd": 3}}}')
  assert.deepEqual(
    [...listFields(document)],
    [
      ['__proto__.tx', 1],
      ['constructor', 2],
      ['flags.toString.usd', 3],
    ],
  )
  assert.equal(({} as Record<string, unknown>).tx, undefined)
})

test('a document that is too deep or too large is rejected', () => {
  assert.throws(() => listFields(JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`)), /deeper/)
  assert.throws(() => listFields({ list: new Array(200_001).fill(0) }), /200000 values/)
})

test('two documents have the same fields and values exactly when they are equal', () => {
  const tree = fc.letrec((tie) => ({
    node: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom(null, true, 0, 1, 'text', '2026-11-14'),
      fc.array(tie('node'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom('a', 'b', '0', 'a.b', '"a.b"', ''), tie('node'), {
        maxKeys: 3,
        noNullPrototype: true,
      }),
    ),
  })).node
  const document = fc.dictionary(fc.constantFrom('a', 'daily', 'daily.0'), tree, { noNullPrototype: true })
  const asText = (value: unknown) => JSON.stringify(value)
  fc.assert(
    fc.property(document, document, (one, other) => {
      const isSame =
        asText([...listFields(one)]) === asText([...listFields(other)]) && listKeys(one) === listKeys(other)
      assert.equal(isSame, asText(one) === asText(other))
    }),
    { numRuns: 500 },
  )
})
