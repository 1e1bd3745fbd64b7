import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/property.ts'
import { parseExactJson } from '../../catalogue/arguments/exact-json.ts'
import type { Endpoint, UploadedFile } from '../../catalogue/endpoint.ts'
import { canonicalJson, fingerprintOf } from './fingerprint.ts'

const plain = (_: string, text: string) => text
// Of an endpoint a fingerprint reads its id.
const endpoint = { id: 'say' } as Endpoint

function fingerprint(
  input: unknown,
  more: { accept?: string; ifMatch?: string; file?: string } = {},
): string {
  const { accept = '', ifMatch = '', file } = more
  const bytes = new TextEncoder().encode(file)
  const upload: UploadedFile = { name: 'a.wav', contentType: 'audio/wav', bytes }
  const files = new Map(file === undefined ? [] : [['file', upload]])
  return fingerprintOf(plain, { endpoint, read: { input, files }, accept, ifMatch })
}

test('canonical JSON sorts members and leaves out what is undefined', () => {
  assert.equal(
    canonicalJson({ b: [1, 'ä', null], a: { d: undefined, c: true } }),
    '{"a":{"c":true},"b":[1,"ä",null]}',
  )
  assert.equal(canonicalJson({ n: 10n }), '{"n":10n}')
})

test('numbers that no double holds are told from each other and from objects', () => {
  const written = ['12345678901234567890', '12345678901234567891', '{"rawJSON":"12345678901234567890"}']
  const canonical = written.map((text) => canonicalJson([parseExactJson(text)]))
  assert.deepEqual(
    canonical,
    written.map((text) => `[${text}]`),
  )
})

test('canonical JSON reads back as the value that was written', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      assert.deepEqual(JSON.parse(canonicalJson(value)), JSON.parse(JSON.stringify(value)))
    }),
  )
})

test('the order of arguments makes no difference, their values do', () => {
  assert.equal(fingerprint({ a: 1, b: 2 }), fingerprint({ b: 2, a: 1 }))
  assert.notEqual(fingerprint({ a: 1 }), fingerprint({ a: '1' }))
  assert.notEqual(fingerprint({ a: [1, 2] }), fingerprint({ a: [2, 1] }))
})

test('who asks for anything asks for JSON; another format, version or file is another request', () => {
  assert.equal(
    fingerprint({}, { accept: '*/*' }),
    fingerprint({}, { accept: 'application/json;q=0.9, text/csv' }),
  )
  assert.notEqual(fingerprint({}, { accept: 'image/png' }), fingerprint({}))
  assert.notEqual(fingerprint({}, { ifMatch: '"1"' }), fingerprint({}))
  assert.notEqual(fingerprint({}, { file: 'a' }), fingerprint({}, { file: 'b' }))
})
