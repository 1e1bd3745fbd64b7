import assert from 'node:assert/strict'
import { createHmac, hkdfSync } from 'node:crypto'
import { test } from 'node:test'
import { fc } from '@tollbook/testing/property'
import { createSessionKeys } from './session-keys.ts'

const ROOT = new Uint8Array(32).fill(7)
const keys = createSessionKeys(ROOT)
const token = '0123456789abcdef0123456789abcdef01234567'

test('the second value is the HMAC of the token, and no other is accepted', () => {
  const key = Buffer.from(hkdfSync('sha256', ROOT, '', 'tollbook session ct0', 32))
  const ct0 = createHmac('sha256', key).update(token).digest('hex')
  assert.equal(keys.ct0Of(token), ct0)
  assert.ok(keys.isCt0Of(token, ct0))
  const others = [
    ct0.toUpperCase(),
    ct0.slice(1),
    `${ct0}0`,
    '',
    createSessionKeys(new Uint8Array(32)).ct0Of(token),
  ]
  for (const other of others) assert.ok(!keys.isCt0Of(token, other), other)
  assert.ok(!keys.isCt0Of(token.replace('0', '1'), ct0))
})

test('a sealed text opens only with its key, for its owner, and unmodified', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (text, owner) => {
      const sealed = keys.seal(text, owner)
      assert.equal(keys.open(sealed, owner), text)
      assert.equal(keys.open(sealed, `${owner}x`), null)
      assert.equal(createSessionKeys(new Uint8Array(32)).open(sealed, owner), null)
    }),
  )
  const bytes = Buffer.from(keys.seal('secret', 'owner'), 'base64')
  for (let at = 0; at < bytes.length; at += 1) {
    const changed = Buffer.from(bytes)
    changed[at] = (changed[at] ?? 0) ^ 1
    assert.equal(keys.open(changed.toString('base64'), 'owner'), null, `byte ${at}`)
    assert.equal(keys.open(bytes.subarray(0, at).toString('base64'), 'owner'), null, `cut at ${at}`)
  }
})
