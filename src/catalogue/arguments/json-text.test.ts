import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/property.ts'
import { readMemberTexts } from './json-text.ts'

const textOf = (json: string, ...names: string[]) =>
  Object.fromEntries([...readMemberTexts(json, names)].map(([name, { text }]) => [name, text]))

test('members keep their source text, without the white space around them', () => {
  const json = ' { "a" : [1.10, {"b": "]}\\""}] , "d\\u0061ta":{"x":1e400}, "n" : 9223372036854775807}'
  assert.deepEqual(textOf(json, 'a', 'data', 'n'), {
    a: '[1.10, {"b": "]}\\""}]',
    data: '{"x":1e400}',
    n: '9223372036854775807',
  })
  assert.deepEqual(textOf(json, 'b', 'x'), {})
})

test('strings have no source text, the last of repeated members counts, and a non-object has none', () => {
  assert.deepEqual(textOf('{"a":1,"a":[2]}', 'a'), { a: '[2]' })
  assert.deepEqual(textOf('{"a":1,"a":"x"}', 'a'), {})
  for (const json of ['{}', '[{"a":1}]', '"a"', '1', ' null ']) assert.deepEqual(textOf(json, 'a'), {}, json)
})

test('every member of any object has its own source text', () => {
  const objects = fc.dictionary(fc.string(), fc.jsonValue())
  fc.assert(
    fc.property(objects, fc.constantFrom(0, 2), (object, indent) => {
      const json = JSON.stringify(object, null, indent)
      const texts = readMemberTexts(json, Object.keys(object))
      for (const [name, value] of Object.entries(object)) {
        if (typeof value === 'string') assert.equal(texts.has(name), false)
        else assert.deepEqual(JSON.parse(texts.get(name)?.text ?? ''), JSON.parse(JSON.stringify(value)))
      }
    }),
  )
})
