import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findFormFault } from './form-body.ts'

const TYPE = 'multipart/form-data; boundary=x'
const part = (name: string, headers = '') =>
  `--x\r\nContent-Disposition: form-data; name="${name}"\r\n${headers}\r\nv\r\n`

function faultOf(body: string, type = TYPE): string | null {
  return findFormFault(new TextEncoder().encode(body), type, 5)
}

test('a form of few parts with short headers is accepted, whatever its content', () => {
  assert.equal(faultOf(`${part('a').repeat(5)}--x--\r\n`), null)
  assert.equal(faultOf(`${part('a')}${'\r\n-'.repeat(50_000)}\r\n--x--\r\n`), null)
  for (const body of ['', '--x', '--x--', '--x\r\n', 'nothing', '\r\n'.repeat(9000)])
    assert.equal(faultOf(body), null)
})

test('a form with too many parts is rejected, for every way to write the boundary', () => {
  const body = part('a').repeat(6)
  for (const type of [TYPE, 'multipart/form-data;boundary="x"', 'multipart/form-data; a=b; Boundary=x; c=d'])
    assert.equal(faultOf(body, type), 'has more than 5 parts', type)
  assert.equal(faultOf(body, 'multipart/form-data; charset=utf-8'), 'has no boundary')
})

test('headers without an end are rejected', () => {
  const fault = 'has a part with more than 8192 bytes of headers'
  assert.equal(faultOf(`--x\r\n${'A: b\r\n'.repeat(2000)}\r\nv\r\n--x--`), fault)
  assert.equal(faultOf(`${part('a')}${part('b', `X: ${'y'.repeat(9000)}\r\n`)}--x--`), fault)
})
