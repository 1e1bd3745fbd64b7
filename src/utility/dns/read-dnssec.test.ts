import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { hasBind, type SignedZone, startSignedZones } from '../../../test/servers/signed-zones.ts'
import { parseAnchor } from '../../engines/dnssec/validate-name.ts'
import { readDnssec } from './read-dnssec.ts'

const isMissing = !hasBind()
const skip = isMissing ? 'BIND (bind9) is not installed' : false
const HOSTS = `@ A 192.0.2.1
www A 192.0.2.2
*.wild TXT "any"
a.empty.one A 192.0.2.3
alias CNAME www
`
const NSEC3 = ['-3', 'ab12', '-H', '3']
const child = (zone: string, more: Partial<SignedZone> = {}): SignedZone => ({
  zone,
  records: HOSTS,
  algorithm: 'ECDSAP256SHA256',
  ...more,
})
const delegate = (...labels: readonly string[]) =>
  labels.map((label) => `${label} NS ns.${label}\nns.${label} A 127.0.0.1\n`).join('')
const CHILDREN: readonly SignedZone[] = [
  child('nsec.test'),
  child('nsec3.test', { algorithm: 'ECDSAP384SHA384', sign: NSEC3 }),
  child('rsa.test', { algorithm: 'RSASHA256' }),
  child('rsa512.test', { algorithm: 'RSASHA512', records: `${HOSTS}@ TXT ${'"x" '.repeat(700)}` }),
  child('ed.test', { algorithm: 'ED25519' }),
  child('ed448.test', { algorithm: 'ED448' }),
  child('costly.test', { sign: ['-3', 'ab12', '-H', '51'] }),
  child('expired.test', { sign: ['-s', '20200101000000', '-e', '20200201000000'] }),
  child('future.test', { sign: ['-s', '20500101000000', '-e', '20500201000000'] }),
  // One digit of the address changes after signing.
  child('changed.test', { spoil: (file) => file.replaceAll('192.0.2.2', '192.0.2.9') }),
  child('unsigned.test', { isUnlinked: true }),
  child('out.optout', { isUnlinked: true }),
  child('in.optout'),
]
const ZONES: readonly SignedZone[] = [
  ...CHILDREN,
  child('test', {
    records: `${delegate('nsec', 'nsec3', 'rsa', 'rsa512', 'ed', 'ed448', 'costly', 'expired', 'future', 'changed', 'unsigned', 'swapped')}
odd DS 1 99 2 ${'00'.repeat(32)}\nodd NS ns.nsec
swapped DS 1 13 2 ${'00'.repeat(32)}
`,
  }),
  child('swapped.test', { isUnlinked: true }),
  child('optout', { records: delegate('in', 'out'), sign: [...NSEC3, '-A'] }),
  child('.', { records: delegate('test', 'optout'), algorithm: 'RSASHA256' }),
]

let server: Awaited<ReturnType<typeof startSignedZones>>
before(async () => {
  if (!isMissing) server = await startSignedZones(ZONES)
})
after(() => server?.close())

const rootDigest = () =>
  server.rootDigest
    .split(' DS ')[1]
    ?.trim()
    .replace(/ (?=[0-9A-F]+$)/, ' ') ?? ''

const read = (name: string, anchor = rootDigest()) =>
  readDnssec(name, { servers: [server.address], timeoutMs: 5_000, anchors: [parseAnchor(anchor)] })

test('a signed zone is secure with every supported algorithm, and its chain is listed', {
  skip,
}, async () => {
  for (const zone of ['nsec', 'nsec3', 'rsa', 'rsa512', 'ed', 'ed448']) {
    const { state, reason, records, chain } = await read(`${zone}.test`)
    assert.deepEqual([state, reason], ['secure', null], zone)
    assert.deepEqual(new Set(Object.values(records)), new Set(['secure']), zone)
    assert.deepEqual(
      chain.map((link) => link.zone),
      ['.', 'test', `${zone}.test`],
    )
    const last = chain.at(-1)
    assert.equal(last?.ds[0]?.split(' ')[0], last?.keys[0]?.split(' ')[0])
    assert.deepEqual(
      last?.keys.map((key) => key.split(' ')[2]),
      ['257', '256'],
    )
  }
})

test('hosts, wildcards, aliases, empty names and missing names of a signed zone are secure', {
  skip,
}, async () => {
  for (const zone of ['nsec', 'nsec3'])
    for (const host of ['www', 'x.wild', 'x.y.wild', 'alias', 'empty.one', 'one', 'none', 'no.such.www']) {
      const { state, reason } = await read(`${host}.${zone}.test`)
      assert.deepEqual([state, reason], ['secure', null], `${host}.${zone}`)
    }
})

test('a zone without a digest at its parent is insecure', { skip }, async () => {
  for (const [name, reason] of [
    ['www.unsigned.test', 'the zone unsigned.test has no DS record'],
    ['www.out.optout', 'its zone opts out of proofs for out.optout'],
    ['odd.test', 'the algorithms of the DS records of odd.test are not supported'],
    ['none.costly.test', 'its zone has too many NSEC3 iterations (RFC 9276)'],
  ] as const) {
    const answer = await read(name)
    assert.deepEqual([answer.state, answer.reason], ['insecure', reason], name)
  }
  assert.equal((await read('www.in.optout')).state, 'secure')
})

test('expired, early and wrong signatures, and keys without a digest, are bogus with the reason', {
  skip,
}, async () => {
  for (const [name, reason] of [
    ['www.expired.test', /expired at 2020-02-01T00:00:00Z/],
    ['www.future.test', /is valid only from 2050-01-01T00:00:00Z/],
    ['www.changed.test', /the signature of www\.changed\.test A by key \d+ does not match/],
    ['www.swapped.test', /no key of swapped\.test matches its DS records/],
  ] as const) {
    const answer = await read(name)
    assert.equal(answer.state, 'bogus', name)
    assert.match(answer.reason ?? '', reason)
  }
  assert.equal((await read('changed.test')).state, 'secure')
  const strange = await read('nsec.test', `1 8 2 ${'00'.repeat(32)}`)
  assert.deepEqual([strange.state, strange.reason], ['bogus', 'no key of . matches its DS records'])
})

/** Linux, macOS and Windows refuse to connect a socket to it that is not allowed to broadcast. */
const UNCONNECTABLE = '255.255.255.255'

test('a name whose resolvers cannot be connected to is of an unknown state, and nothing is thrown elsewhere', async () => {
  const servers = [UNCONNECTABLE, `${UNCONNECTABLE}:5353`, 'fe80::1']
  const { state, reason, chain } = await readDnssec('example.com', { servers })
  assert.deepEqual([state, reason, chain], ['unknown', 'no resolver answered', []])
})

test('the next resolver is queried if one cannot be connected to', { skip }, async () => {
  const anchors = [parseAnchor(rootDigest())]
  const { state } = await readDnssec('nsec.test', { servers: [UNCONNECTABLE, server.address], anchors })
  assert.equal(state, 'secure')
})
