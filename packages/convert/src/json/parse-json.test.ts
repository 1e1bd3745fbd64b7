import assert from 'node:assert/strict'
import { test } from 'node:test'
import { convertErrorOf, convertText } from '@tollbook/testing/utility/converting'

test('names keep their order, also integers and those in which they are written with a mark', () => {
  for (const names of [
    ['country', '2024', '2023', '-1', '007', '1.5', '4294967295'],
    ['b', '\uf8ff', '\uf8ff1', '1', '\uf8ff\uf8ff"2', '\\', '0', '\\"3', ''],
  ]) {
    const members = names.map((name) => `${JSON.stringify(name)} :{"9":"8\\":","x":"\uf8ff","7":1}`)
    for (const json of [`{${members}}`, `{${members}}`.replaceAll('\uf8ff', '\\uF8FF')])
      for (const number of ['1', '1.0'])
        assert.equal(
          convertText(json.replaceAll(':1}', `:${number}}`), 'json', 'json').text,
          `{${members}}`.replaceAll(' :{', ':{').replaceAll(':1}', `:${number}}`),
        )
  }
})

test('invalid JSON is reported where it is, and as what', () => {
  const error = (text: string) => convertErrorOf(text, 'json', 'json')
  assert.equal(error('[1,\r\n {"a":x}]'), "2:7 unexpected token 'x'")
  assert.equal(error('\ufeff["\u{1f600}" x]'), "1:6 expected ',' or ']' after array element")
  assert.equal(error(`[${'1,'.repeat(5000)}\n]`), "2:1 unexpected token ']'")
  assert.equal(error('{"a":1,}'), '1:8 expected double-quoted property name')
  assert.equal(error('["\n"]'), '1:3 bad control character in string literal')
  assert.equal(error('[1'), "1:3 expected ',' or ']' after array element")
  assert.equal(error('[1,'), '1:4 unexpected end of JSON input')
  assert.equal(error(''), '1:1 unexpected end of JSON input')
  assert.equal(error('[1] 2'), '1:5 unexpected non-whitespace character after JSON')
  assert.equal(error('[NaN]'), "1:2 unexpected token 'N'")
  assert.equal(convertErrorOf('{"a":1}\r\n\r\n{"a":tru}', 'ndjson', 'json'), "3:9 unexpected token '}'")
})
