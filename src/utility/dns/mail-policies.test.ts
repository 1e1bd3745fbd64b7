import assert from 'node:assert/strict'
import { test } from 'node:test'
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

test('of a record with thousands of faults, few are listed', async () => {
  assert.equal(parseDmarc([`v=DMARC1; p=none;${'x;'.repeat(30_000)}`], null).errors.length, 20)
  const resolver = createDnsResolver({ servers: [] })
  const spf = await readSpf([`v=spf1 ${'x '.repeat(30_000)}-all`], resolver)
  assert.deepEqual([spf.valid, spf.all, spf.errors.length], [false, 'fail', 20])
})
