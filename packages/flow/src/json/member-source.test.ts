import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '@tollbook/testing/property'
import { findMemberSource } from './member-source.ts'

test('members keep their source text, without the white space around them', () => {
  const json =
    ' { "a" : [1.10, {"b": "]}\\""}] , "d\\u0061ta":{"x":1e400}, "n" : 9223372036854775807, "s":" x "}'
  const expected = {
    a: '[1.10, {"b": "]}\\""}]',
    data: '{"x":1e400}',
    n: '9223372036854775807',
    s: '" x "',
    b: null,
    x: null,
  }
  for (const [name, source] of Object.entries(expected)) assert.equal(findMemberSource(json, name), source)
})

test('the last of repeated members counts, and a value that is no object has none', () => {
  assert.equal(findMemberSource('{"a":1,"a":[2]}', 'a'), '[2]')
  for (const json of ['{}', '[{"a":1}]', '"a"', '1', ' null '])
    assert.equal(findMemberSource(json, 'a'), null, json)
})

test('every member of any object has its own source text', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.constantFrom(0, 2), (object, indent) => {
      const json = JSON.stringify(object, null, indent)
      for (const [name, value] of Object.entries(object))
        assert.deepEqual(JSON.parse(findMemberSource(json, name) ?? ''), JSON.parse(JSON.stringify(value)))
    }),
  )
})
