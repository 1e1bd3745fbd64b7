import assert from 'node:assert/strict'
import { createPublicKey } from 'node:crypto'
import { test } from 'node:test'
import { parseKey } from './dkim.ts'
import { parseDmarc } from './dmarc.ts'
import { createDnsResolver } from './dns-resolver.ts'
import { readSpf } from './spf.ts'

test('tags of a DMARC record may have white space around names and values', () => {
  const { policy, subdomain_policy, pct, errors } = parseDmarc(
    ['v=DMARC1 ;\tP = reject ; sp= none;pct =5; p=none; 1=2; rua'],
    null,
  )
  assert.deepEqual({ policy, subdomain_policy, pct }, { policy: 'reject', subdomain_policy: 'none', pct: 5 })
  assert.deepEqual(errors, ['duplicate tag p', '"1=2" is not a tag', '"rua" is not a tag'])
})

test('a record of 64 kB with a run of spaces is read in one pass', () => {
  const { errors, policy } = parseDmarc([`v=DMARC1; p=${' '.repeat(60_000)}\nx\ny`], null)
  assert.equal(policy, null)
  assert.deepEqual(errors, ['p is not none, quarantine or reject'])
})

test('the size of a DKIM key that is longer than any in use is not computed', () => {
  const bitsOf = (bits: number) => {
    const jwk = { kty: 'RSA', e: 'AQAB', n: Buffer.alloc(bits / 8, 255).toString('base64url') }
    const bytes = createPublicKey({ key: jwk, format: 'jwk' }).export({ format: 'der', type: 'spki' })
    return parseKey('s1', `v=DKIM1; p=${bytes.toString('base64')}`).key_bits
  }
  assert.deepEqual([4_096, 8_192, 9_216].map(bitsOf), [4_096, 8_192, null])
})

test('of a record with thousands of issues, few are listed', async () => {
  assert.equal(parseDmarc([`v=DMARC1; p=none;${'x;'.repeat(30_000)}`], null).errors.length, 20)
  const resolver = createDnsResolver({ servers: [] })
  const spf = await readSpf([`v=spf1 ${'x '.repeat(30_000)}-all`], resolver)
  assert.deepEqual([spf.valid, spf.all, spf.errors.length], [false, 'fail', 20])
})
