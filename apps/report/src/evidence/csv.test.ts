import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '@tollbook/testing/property'
import { toCsvLine } from './csv.ts'

test('cells are joined by commas and end with CR LF', () => {
  assert.equal(toCsvLine(['a', 1, null, -2.5]), 'a,1,,-2.5\r\n')
})

test('a cell with a comma, a quote or a line break is quoted', () => {
  assert.equal(toCsvLine(['a,b', 'say "hi"', 'x\ny']), '"a,b","say ""hi""","x\ny"\r\n')
})

for (const formula of ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '＝1']) {
  test(`${JSON.stringify(formula)} is not a formula for a spreadsheet`, () => {
    assert.match(toCsvLine([formula]), /^"?'/)
  })
}

test('an RFC 4180 reader finds the same number of cells, whatever a cell contains', () => {
  fc.assert(
    fc.property(fc.array(fc.string(), { minLength: 1, maxLength: 5 }), (cells) => {
      // Outside quotes, with doubled quotes removed, only the separators of the encoder remain.
      const bare = toCsvLine(cells).replaceAll(/"(?:[^"]|"")*"/g, '')
      return bare.split(',').length === cells.length && bare.indexOf('\r\n') === bare.length - 2
    }),
  )
})
