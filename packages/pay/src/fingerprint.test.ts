import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '@tollbook/testing/property'
import { fingerprintOf } from './fingerprint.ts'

type Part = { readonly name: string; readonly value: string }

/** A form as a client writes it (RFC 7578), with any boundary that no line of it begins with. */
function toRequest(parts: readonly Part[], boundary: string, isQuoted = false) {
  const written = parts.map(
    ({ name, value }) =>
      `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  )
  const body = Buffer.from(`${written.join('')}--${boundary}--\r\n`, 'latin1')
  const type = `multipart/form-data; boundary=${isQuoted ? `"${boundary}"` : boundary}`
  return { url: 'http://a/', method: 'POST', headers: new Headers({ 'content-type': type }), body }
}

// Few letters, so that values contain boundaries, and differ by one.
const letters = fc.string({ unit: fc.constantFrom('a', 'b', '-', '.', ' '), maxLength: 8 })
const someParts = fc.array(fc.record({ name: fc.constantFrom('a', 'b'), value: letters }), {
  minLength: 1,
  maxLength: 3,
})
const someBoundary = fc.string({ unit: fc.constantFrom('a', 'b', '-', '.'), minLength: 1, maxLength: 4 })

test('forms are equal if their parts are, whatever their boundaries', () => {
  const property = fc.property(
    someParts,
    someParts,
    someBoundary,
    someBoundary,
    fc.boolean(),
    (one, other, boundary, otherBoundary, isQuoted) => {
      const isReadable = (parts: readonly Part[], used: string) =>
        parts.every(({ value }) => !value.startsWith(`--${used}`))
      fc.pre(isReadable(one, boundary) && isReadable(other, otherBoundary) && isReadable(one, otherBoundary))
      const first = fingerprintOf(toRequest(one, boundary))
      assert.equal(fingerprintOf(toRequest(one, otherBoundary, isQuoted)), first)
      const isEqual = fingerprintOf(toRequest(other, otherBoundary)) === first
      assert.equal(isEqual, JSON.stringify(one) === JSON.stringify(other))
    },
  )
  fc.assert(property, { numRuns: 1000 })
})

test('forms that differ by letters of their boundary, or have two boundaries, are not equal', () => {
  const of = (value: string, boundary = 'a') => toRequest([{ name: 'b', value }], boundary)
  assert.notEqual(fingerprintOf(of('aab')), fingerprintOf(of('ab')))
  assert.notEqual(fingerprintOf(of('x\r\n--ab')), fingerprintOf(of('x\r\n--qb', 'q')))
  const two = (boundaries: string) => {
    const request = of('b')
    request.headers.set('content-type', `multipart/form-data; ${boundaries}`)
    return fingerprintOf(request)
  }
  assert.notEqual(two('boundary=a; boundary=b'), two('boundary=a; boundary=c'))
})
