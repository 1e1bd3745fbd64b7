import assert from 'node:assert/strict'
import { test } from 'node:test'
import { convertErrorOf, convertText } from '@tollbook/testing/utility/converting'

test('the line sep= of Excel names the delimiter', () => {
  const rows = '[{"id":1,"price":"2,5"}]'
  for (const first of ['sep=;', 'SEP=;', '"sep=;"', '\ufeffsep=;']) {
    const read = convertText(`${first}\r\nid;price\r\n1;2,5\r\n`, 'csv', 'json')
    assert.equal(read.text, rows)
    assert.deepEqual(read.notes, ['3 numbers with a decimal comma stay strings'])
  }
  assert.equal(convertText('sep=,\na\n1\n', 'csv', 'json').text, '[{"a":1}]')
  assert.equal(convertText('sep=\n1\n', 'csv', 'json').text, '[{"sep=":1}]')
  assert.match(
    convertErrorOf('sep=:\na:b\n', 'csv', 'json'),
    /^1:1 the line sep= names the delimiter ":", which/,
  )
  assert.match(convertErrorOf('sep=;\na;b\n', 'csv', 'json', { delimiter: '|' }), /^1:1 .* omit delimiter/)
})

test('a row of decimal commas under a header of semicolons names the delimiter', () => {
  assert.equal(
    convertErrorOf('id;price\n1;2,5\n', 'csv', 'json'),
    '2:1 the row has 2 cells, but the table has 1 columns; the first row contains ";": if that separates cells, set delimiter to ";"',
  )
})
