import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { runEndpoint } from '@tollbook/testing/catalogue/run-endpoint'
import { startDnsServer } from '@tollbook/testing/servers/dns-server'
import { createDnsResolver, type DnsResolver } from '../../../../dns/dns-resolver.ts'
import { verify } from './endpoint.ts'

let server: Awaited<ReturnType<typeof startDnsServer>>
let resolver: DnsResolver
before(async () => {
  server = await startDnsServer({
    'gmail.com': { MX: [[5, 'gmail-smtp-in.l.google.com']] },
    'googlemail.com': { MX: [[5, 'gmail-smtp-in.l.google.com']] },
    'example.com': {
      MX: [
        [20, 'b.example.com'],
        [10, 'a.example.com'],
      ],
    },
    'implicit.example': { A: ['192.0.2.1'] },
    'implicit6.example': { AAAA: ['2001:db8::1'] },
    'nomail.example': { MX: [[0, '']] },
    'nothing.example': { TXT: ['x'] },
    'failing.example': { rcode: 2 },
    'silent.example': { isSilent: true },
    'mailinator.com': { MX: [[10, 'mail.mailinator.com']] },
    'gmial.com': { MX: [[10, 'mx.example']] },
    'yahoo.com': { MX: [[1, 'mta7.am0.yahoodns.net']] },
    'xn--r8jz45g.jp': { MX: [[10, 'mx.example.jp']] },
  })
  resolver = createDnsResolver({ servers: [server.address], timeoutMs: 1_000, tries: 1 })
})
after(() => server.close())

const ask = (email: string) => runEndpoint(verify, { email }, { ports: { dns: resolver } })
const verdictOf = async (email: string) => {
  const { verdict, reasons } = await ask(email)
  return [verdict, ...reasons]
}

test("the example is the endpoint's answer", async () => {
  assert.deepEqual(await ask('Jane.Doe+news@GoogleMail.com'), verify.example.output)
})

test('mail goes to the MX records, else to the domain itself, unless it accepts none', async () => {
  assert.deepEqual((await ask('a@example.com')).mx, {
    found: true,
    records: [
      { priority: 10, exchange: 'a.example.com' },
      { priority: 20, exchange: 'b.example.com' },
    ],
    implicit: false,
    null_mx: false,
  })
  assert.deepEqual(await verdictOf('a@implicit.example'), ['risky', 'implicit_mx', 'mailbox_unchecked'])
  assert.deepEqual(await verdictOf('a@implicit6.example'), ['risky', 'implicit_mx', 'mailbox_unchecked'])
  assert.deepEqual(await verdictOf('a@nomail.example'), ['undeliverable', 'null_mx'])
  assert.deepEqual(await verdictOf('a@nothing.example'), ['undeliverable', 'no_mail_server'])
  assert.deepEqual(await verdictOf('a@nowhere.example'), ['undeliverable', 'domain_not_found'])
})

test('a domain with failing name servers is unknown; unresponsive resolvers are an uncharged 502', async () => {
  assert.deepEqual(await verdictOf('a@failing.example'), ['unknown', 'dns_server_failed'])
  await assert.rejects(ask('a@silent.example'), { message: /^upstream_failed:/ })
})

test('disposable domains, role accounts and free providers are flagged', async () => {
  const throwaway = await ask('x1@mailinator.com')
  assert.deepEqual([throwaway.disposable, throwaway.verdict], [true, 'risky'])
  const role = await ask('Sales+eu@example.com')
  assert.deepEqual([role.role, role.plus_tag, role.verdict], [true, 'eu', 'unknown'])
  assert.equal((await ask('jane@yahoo.com')).free_provider, true)
  assert.equal((await ask('jane@example.com')).free_provider, false)
})

test('addresses are normalized as their provider does', async () => {
  const normalized = async (email: string) => (await ask(email)).normalized
  assert.equal(await normalized('J.A.N.E+x+y@googlemail.com'), 'jane@gmail.com')
  assert.equal(await normalized('Jane-shop@yahoo.com'), 'jane@yahoo.com')
  // Elsewhere the local part may be case-sensitive.
  assert.equal(await normalized('Jane.Doe+x@EXAMPLE.com'), 'Jane.Doe@example.com')
})

test('a mailbox that was not asked for is unknown, and a name that Gmail does not assign is risky', async () => {
  assert.deepEqual(await verdictOf('nobody@example.com'), ['unknown', 'mx_found', 'mailbox_unchecked'])
  assert.deepEqual(await verdictOf('asdkjhaskdjh98237@gmail.com'), [
    'unknown',
    'mx_found',
    'mailbox_unchecked',
  ])
  assert.deepEqual(await verdictOf('x.y+shop@gmail.com'), [
    'risky',
    'mx_found',
    'not_assigned',
    'mailbox_unchecked',
  ])
  assert.equal((await ask('Jane.Doe+shop@gmail.com')).score, 60)
})

test('a correction of a likely typo is suggested', async () => {
  const { did_you_mean, reasons } = await ask('jane@gmial.com')
  assert.equal(did_you_mean, 'jane@gmail.com')
  assert.deepEqual(reasons, ['mx_found', 'likely_typo', 'mailbox_unchecked'])
})

test('an invalid address is undeliverable, with its diagnosis', async () => {
  const { syntax, verdict, score, mx } = await ask('jane..doe@example.com')
  assert.deepEqual(syntax, {
    valid: false,
    category: 'error',
    diagnosis: 'consecutive_dots',
    message: 'Two dots are adjacent.',
  })
  assert.deepEqual([verdict, score, mx.found], ['undeliverable', 0, false])
})

test('spaces around a pasted address are ignored', async () => {
  const { email, verdict } = await ask(' jane@example.com\n')
  assert.deepEqual([email, verdict], ['jane@example.com', 'unknown'])
})

test('valid but rare forms are risky', async () => {
  assert.deepEqual(await verdictOf('"jane doe"@example.com'), [
    'risky',
    'mx_found',
    'unusual_form',
    'mailbox_unchecked',
  ])
  assert.deepEqual(await verdictOf('jane@[192.0.2.1]'), ['risky', 'address_literal', 'mailbox_unchecked'])
  assert.deepEqual(await verdictOf('用户@例え.jp'), [
    'risky',
    'mx_found',
    'smtputf8_required',
    'mailbox_unchecked',
  ])
  assert.deepEqual(await verdictOf('jane (me)@example.com'), ['undeliverable', 'syntax'])
})
