import assert from 'node:assert/strict'
import { test } from 'node:test'
import { convertText } from '@tollbook/testing/utility/converting'

test('the list in an answer of an API becomes rows if table names it, and is pointed out otherwise', () => {
  const json = '{"results":[{"id":1},{"id":2}],"next":null}'
  const { text, notes } = convertText(json, 'json', 'csv')
  assert.equal(text, 'results,next\r\n"[{""id"":1},{""id"":2}]",\r\n')
  assert.deepEqual(notes, [
    'null the text is one object, which is one row; for the 2 objects of its list "results" as rows, set table to "results"',
  ])
  assert.equal(convertText(json, 'json', 'csv', { table: 'results' }).text, 'id\r\n1\r\n2\r\n')
})
