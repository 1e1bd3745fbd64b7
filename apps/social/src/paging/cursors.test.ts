import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '@tollbook/testing/property'
import { createCursors } from './cursors.ts'

const cursors = createCursors(new Uint8Array(32).fill(7))
const listing = { operation: 'tweetsOfUser', filters: { username: 'jun' } }

test('a cursor opens to its position, for the listing it was sealed for', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (position, username) => {
      const cursor = cursors.seal({ ...listing, filters: { username } }, position)
      assert.match(cursor, /^[A-Za-z0-9_-]+$/)
      assert.equal(cursors.open({ ...listing, filters: { username } }, cursor), position)
      assert.equal(cursors.open({ ...listing, filters: { username: `${username}x` } }, cursor), null)
    }),
  )
})

test('the order of filters and absent filters do not matter', () => {
  const cursor = cursors.seal({ operation: 'o', filters: { a: 1, b: 2 } }, '5')
  assert.equal(cursors.open({ operation: 'o', filters: { b: 2, a: 1, c: undefined } }, cursor), '5')
})

test('a foreign, modified or truncated cursor does not open', () => {
  const cursor = cursors.seal(listing, '123')
  assert.equal(cursors.open({ ...listing, operation: 'repliesTo' }, cursor), null)
  assert.equal(createCursors(new Uint8Array(32).fill(8)).open(listing, cursor), null)
  const bytes = Buffer.from(cursor, 'base64url')
  for (let at = 0; at < bytes.length; at += 1) {
    const changed = Buffer.from(bytes)
    changed[at] = (changed[at] ?? 0) ^ 1
    assert.equal(cursors.open(listing, changed.toString('base64url')), null, `byte ${at}`)
    assert.equal(cursors.open(listing, bytes.subarray(0, at).toString('base64url')), null, `cut at ${at}`)
  }
  for (const text of ['', '=', `${cursor}=`, ` ${cursor}`, 'next', '0'.repeat(2000)])
    assert.equal(cursors.open(listing, text), null)
})
