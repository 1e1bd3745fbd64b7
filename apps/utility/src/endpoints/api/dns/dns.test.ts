import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { after, before, test } from 'node:test'
import { issuesOf, runEndpoint } from '@tollbook/testing/catalogue/run-endpoint'
import { startDnsServer } from '@tollbook/testing/servers/dns-server'
import { hasBind, startValidatingResolver } from '@tollbook/testing/servers/validating-resolver'
import { createDnsResolver, type DnsResolver } from '../../../dns/dns-resolver.ts'
import { dns } from './endpoint.ts'

const RSA = generateKeyPairSync('rsa', { modulusLength: 2048 })
  .publicKey.export({ format: 'der', type: 'spki' })
  .toString('base64')
const SOA = {
  primary: 'ns1.example.com',
  admin: 'admin.example.com',
  serial: 2026112101,
  refresh: 7200,
  retry: 3600,
  expiration: 1209600,
  minimum: 3600,
}
/** Eleven terms that each need a lookup. */
const ELEVEN = Array.from({ length: 11 }, (_, at) => `exists:e${at}.example.com`).join(' ')

let server: Awaited<ReturnType<typeof startDnsServer>>
let resolver: DnsResolver
before(async () => {
  server = await startDnsServer({
    'example.com': {
      A: ['192.0.2.20', '192.0.2.10'],
      AAAA: ['2001:db8::1'],
      NS: ['ns2.example.com', 'ns1.example.com'],
      MX: [
        [20, 'mx2.example.com'],
        [10, 'mx1.example.com'],
      ],
      TXT: [
        ['v=spf1 include:_spf.example.com ', 'a mx:other.example.com/24 ip4:192.0.2.0/24 ~all'],
        'other=1',
      ],
      SOA,
      CAA: [{ flags: 128, tag: 'issue', value: 'ca.example' }],
    },
    '_spf.example.com': { TXT: ['v=spf1 include:_spf2.example.com ?all'] },
    '_spf2.example.com': { TXT: ['v=spf1 ip6:2001:db8::/32 -all'] },
    '_dmarc.example.com': {
      TXT: ['v=DMARC1; p=reject; sp=quarantine; pct=50; rua=mailto:a@example.com, mailto:b@example.com'],
    },
    'google._domainkey.example.com': { TXT: [[`v=DKIM1; k=rsa; p=${RSA.slice(0, 200)}`, RSA.slice(200)]] },
    'own._domainkey.example.com': {
      TXT: ['v=DKIM1; k=ed25519; p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo='],
    },
    's1._domainkey.example.com': { TXT: ['v=DKIM1; p='] },
    'mail.example.com': { CNAME: 'example.com' },
    'circle.example.net': { TXT: ['v=spf1 include:circle2.example.net -all'] },
    'circle2.example.net': { TXT: ['v=spf1 include:circle2.example.net -all'] },
    'greedy.example.net': { TXT: [`v=spf1 ${ELEVEN} -all`] },
    'twice.example.net': { TXT: ['v=spf1 -all', 'v=spf1 +all'] },
    'moved.example.net': { TXT: ['v=spf1 redirect=_spf2.example.com'] },
    'wrong.example.net': { TXT: ['v=spf1 ip4:192.0.2.300 ipv4:192.0.2.1 include:nowhere.example.net all:x'] },
    '_dmarc.wrong.example.net': { TXT: ['v=DMARC1; p=all; pct=200'] },
    'silent.example.org': { isSilent: true },
    'broken.example.org': { rcode: 2 },
    'xn--bcher-kva.example': { A: ['192.0.2.7'] },
  })
  resolver = createDnsResolver({ servers: [server.address], timeoutMs: 1_000, tries: 1 })
})
after(() => server.close())

const ask = (domain: string, more: object = {}) =>
  runEndpoint(dns, { domain, ...more }, { ports: { dns: resolver } })

test('all records of a domain are read, in a stable order', async () => {
  const answer = await ask('Example.COM.')
  const { query_ms, ts, resolver: sent, dkim, spf, dmarc, dnssec, ...records } = answer
  assert.deepEqual(records, {
    domain: 'Example.COM.',
    ascii: 'example.com',
    exists: true,
    a: ['192.0.2.10', '192.0.2.20'],
    aaaa: ['2001:db8::1'],
    cname: null,
    mx: [
      { priority: 10, exchange: 'mx1.example.com' },
      { priority: 20, exchange: 'mx2.example.com' },
    ],
    ns: ['ns1.example.com', 'ns2.example.com'],
    txt: ['v=spf1 include:_spf.example.com a mx:other.example.com/24 ip4:192.0.2.0/24 ~all', 'other=1'],
    soa: {
      primary: 'ns1.example.com',
      admin: 'admin.example.com',
      serial: 2026112101,
      refresh: 7200,
      retry: 3600,
      expire: 1209600,
      minimum: 3600,
    },
    caa: [{ critical: true, tag: 'issue', value: 'ca.example' }],
    comparison: null,
    errors: { CNAME: 'no_data' },
  })
  assert.deepEqual(dnssec, {
    state: 'unknown',
    reason: 'no resolver validates',
    resolver: null,
    records: {},
    chain: [],
  })
  assert.equal(sent, server.address)
  assert.equal(ts, '2026-11-21T10:00:00.000Z')
})

test('the answers of several resolvers are compared', async () => {
  const old = await startDnsServer({
    'example.com': {
      A: ['192.0.2.10'],
      MX: [
        [10, 'mx1.example.com'],
        [20, 'mx2.example.com'],
      ],
    },
  })
  const silent = await startDnsServer({ 'example.com': { isSilent: true } })
  const servers = [server.address]
  const compare = async (compared: readonly string[], type: string) => {
    const dnsPort = createDnsResolver({ servers, compared, timeoutMs: 200, tries: 1 })
    const { comparison } = await runEndpoint(
      dns,
      { domain: 'example.com', compare: type },
      { ports: { dns: dnsPort } },
    )
    return comparison
  }
  assert.deepEqual(await compare([server.address, old.address], 'A'), {
    type: 'A',
    agree: false,
    answers: [
      { server: server.address, records: ['192.0.2.10', '192.0.2.20'], error: null },
      { server: old.address, records: ['192.0.2.10'], error: null },
    ],
  })
  const mail = await compare([server.address, old.address, silent.address], 'MX')
  assert.equal(mail.agree, true)
  assert.deepEqual(mail.answers[0].records, ['10 mx1.example.com', '20 mx2.example.com'])
  assert.equal(mail.answers[2].error, 'timeout')
  assert.equal((await compare([server.address, silent.address], 'A')).agree, null)
  await Promise.all([old.close(), silent.close()])
})

test('the lookups of an SPF policy are counted including its includes', async () => {
  // include, the include within it, a and mx.
  assert.deepEqual((await ask('example.com')).spf, {
    found: true,
    valid: true,
    all: 'softfail',
    lookups: 4,
    includes: ['_spf.example.com'],
    errors: [],
    record: 'v=spf1 include:_spf.example.com a mx:other.example.com/24 ip4:192.0.2.0/24 ~all',
  })
  const moved = (await ask('moved.example.net')).spf
  assert.deepEqual([moved.lookups, moved.all, moved.valid], [1, null, true])
})

test('errors that invalidate an SPF policy are reported', async () => {
  const errorsOf = async (domain: string) => (await ask(domain)).spf.errors
  assert.deepEqual(await errorsOf('greedy.example.net'), ['more than 10 DNS lookups are needed'])
  assert.deepEqual(await errorsOf('twice.example.net'), ['there are 2 SPF records (only one is allowed)'])
  assert.deepEqual(await errorsOf('circle.example.net'), ['include of circle2.example.net forms a loop'])
  assert.deepEqual(await errorsOf('wrong.example.net'), [
    '"192.0.2.300" is not an IPv4 network',
    '"ipv4:192.0.2.1" is not an SPF term',
    'all takes no value',
    'nowhere.example.net in include has no SPF record (no_name)',
  ])
})

test('a DMARC policy is found at the domain, or inherited with its subdomain policy', async () => {
  const own = (await ask('example.com')).dmarc
  assert.deepEqual(
    [own.policy, own.subdomain_policy, own.pct, own.inherited_from],
    ['reject', 'quarantine', 50, null],
  )
  assert.deepEqual(own.rua, ['mailto:a@example.com', 'mailto:b@example.com'])
  const inherited = (await ask('mail.example.com')).dmarc
  assert.deepEqual([inherited.policy, inherited.inherited_from], ['quarantine', 'example.com'])
  assert.deepEqual((await ask('wrong.example.net')).dmarc.errors, [
    'p is not none, quarantine or reject',
    'pct is not a number from 0 to 100',
  ])
})

test('DKIM keys are found at common and at requested selectors, with their size', async () => {
  const { dkim } = await ask('example.com', { selector: ['own', 'none'] })
  const found = dkim.found.map(
    (key: { selector: string; key_type: string; key_bits: number | null; revoked: boolean }) => [
      key.selector,
      key.key_type,
      key.key_bits,
      key.revoked,
    ],
  )
  assert.deepEqual(found, [
    ['own', 'ed25519', 256, false],
    ['s1', 'rsa', null, true],
    ['google', 'rsa', 2048, false],
  ])
})

test('a missing name is a valid answer, and an alias is followed', async () => {
  const none = await ask('nowhere.example.org')
  assert.equal(none.exists, false)
  assert.deepEqual(none.a, [])
  assert.equal(none.errors.A, 'no_name')
  assert.equal((await ask('mail.example.com')).cname, 'example.com')
})

test('an internationalized name is queried in Punycode', async () => {
  const { ascii, a } = await ask('Bücher.example')
  assert.deepEqual([ascii, a], ['xn--bcher-kva.example', ['192.0.2.7']])
})

test('a server that does not answer, or fails, is an uncharged 502', async () => {
  for (const domain of ['silent.example.org', 'broken.example.org'])
    await assert.rejects(ask(domain), { message: /^upstream_failed:/ })
})

test('a name of which every record is bogus is an answer, though the resolver returns none', {
  skip: hasBind() ? false : 'BIND (bind9) is not installed',
}, async (t) => {
  const bind = await startValidatingResolver([
    { zone: 'expired', records: '', sign: ['-s', '20200101000000', '-e', '20200201000000'] },
    { zone: '.', records: 'expired NS ns.expired\nns.expired A 127.0.0.1\n' },
  ])
  t.after(() => bind.close())
  const dnsPort = createDnsResolver({ servers: [bind.resolver], tries: 1 })
  const answer = await runEndpoint(dns, { domain: 'mail.expired' }, { ports: { dns: dnsPort } })
  assert.deepEqual(
    [answer.dnssec.state, answer.a, answer.errors.A, answer.exists],
    ['bogus', [], 'server_failed', true],
  )
})

test('resolvers that this machine cannot connect to are an uncharged 502', async () => {
  // No system connects a socket to it that is not allowed to broadcast.
  const unconnectable = createDnsResolver({ servers: ['255.255.255.255'], timeoutMs: 200, tries: 1 })
  const answer = runEndpoint(dns, { domain: 'example.com', compare: 'MX' }, { ports: { dns: unconnectable } })
  await assert.rejects(answer, { message: /^upstream_failed:/ })
})

test('an invalid domain name is reported before payment', () => {
  for (const domain of [
    '',
    '127.0.0.1',
    '::1',
    'a..b',
    '-a.com',
    'a b.com',
    'http://a.com',
    `${'a'.repeat(64)}.com`,
  ])
    assert.equal(issuesOf(dns, { domain })[0]?.parameter, 'domain', domain)
  assert.equal(issuesOf(dns, { domain: 'a.com', selector: ['../x'] })[0]?.parameter, 'selector.0')
})
