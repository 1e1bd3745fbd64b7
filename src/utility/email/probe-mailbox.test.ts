import assert from 'node:assert/strict'
import type { AddressInfo, Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { serveTcp } from '../../../test/servers/serve-tcp.ts'
import { toWay } from '../../fetching/safe-fetch.ts'
import { createMailboxProbe } from './probe-mailbox.ts'

const UNKNOWN = { isCatchAll: null, accepts: null }
const OWN_NAME = 'checker.example'

type Refusal = Error & { responseCode?: number }
const refuse = (code: number, text: string): Refusal => Object.assign(new Error(text), { responseCode: code })

/** Asks about jane@example.com at this port. */
const askAt = (
  port: number,
  { timeoutMs = 60_000, exchange = '127.0.0.1', allowPrivateNetwork = true } = {},
) =>
  createMailboxProbe({ way: toWay({ allowPrivateNetwork }), ownName: OWN_NAME, port, timeoutMs })(
    { exchange, local: 'jane', domain: 'example.com' },
    new AbortController().signal,
  )

/** A mail server, and the recipients that it was asked for. */
async function serveMail(context: TestContext, options: SMTPServerOptions) {
  const server = new SMTPServer({ disabledCommands: ['AUTH'], logger: false, ...options })
  server.on('error', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  context.after(() => new Promise<void>((resolve) => server.close(() => resolve())))
  return (server.server.address() as AddressInfo).port
}

/** A server whose replies to RCPT this function decides. */
async function judgedBy(context: TestContext, judge: (address: string) => Refusal | null) {
  const asked: string[] = []
  const port = await serveMail(context, {
    onRcptTo({ address }, { envelope, hostNameAppearsAs }, done) {
      assert.deepEqual(
        [hostNameAppearsAs, envelope.mailFrom === false ? null : envelope.mailFrom.address],
        [OWN_NAME, ''],
      )
      asked.push(address)
      done(judge(address))
    },
    onData: (_stream, _session, done) => done(new Error('no mail may be sent')),
  })
  return { found: await askAt(port), asked }
}

/** The port of a server that speaks as this function does. */
const speakingAs = async (context: TestContext, speak: (socket: Socket) => void) =>
  Number((await serveTcp(context, speak)).split(':')[1])

const isJane = (address: string) => address === 'jane@example.com'

test('a mail server that knows its mailboxes accepts one and refuses a random one', async (context) => {
  const { found, asked } = await judgedBy(context, (address) =>
    isJane(address) ? null : refuse(550, '5.1.1 no such user'),
  )
  assert.deepEqual(found, { isCatchAll: false, accepts: true })
  assert.match(asked.join(' '), /^[0-9a-f]{24}@example\.com jane@example\.com$/)
})

test('a mail server that accepts a random mailbox is a catch-all, and is asked for no other', async (context) => {
  const { found, asked } = await judgedBy(context, () => null)
  assert.deepEqual([found, asked.length], [{ isCatchAll: true, accepts: null }, 1])
})

test('a mailbox is missing if the server says so, not if it may be us whom it refuses', async (context) => {
  const missing = await judgedBy(context, () => refuse(550, '5.1.1 no such user'))
  assert.deepEqual(missing.found, { isCatchAll: false, accepts: false })
  for (const [code, text] of [
    [550, 'blocked, see our list'],
    [550, '5.7.1 your address has no reverse record'],
    [554, '5.7.1 refused'],
    [252, 'cannot verify'],
    [421, '4.7.0 later'],
  ] as const)
    assert.deepEqual((await judgedBy(context, () => refuse(code, text))).found, UNKNOWN, text)
})

test('greylisting says nothing about a mailbox', async (context) => {
  const { found } = await judgedBy(context, () => refuse(450, '4.2.0 greylisted, try again in five minutes'))
  assert.deepEqual(found, UNKNOWN)
  const later = await judgedBy(context, (address) =>
    isJane(address) ? refuse(450, '4.2.0 greylisted') : refuse(550, '5.1.1 no such user'),
  )
  assert.deepEqual(later.found, { isCatchAll: false, accepts: null })
})

test('a server that demands STARTTLS or refuses the sender is not asked further', async (context) => {
  const refusing = await serveMail(context, {
    onMailFrom: (_address, _session, done) => done(refuse(530, '5.7.0 Must issue a STARTTLS command first')),
  })
  assert.deepEqual(await askAt(refusing), UNKNOWN)
  const closed = await serveMail(context, { onConnect: (_session, done) => done(refuse(554, 'no service')) })
  assert.deepEqual(await askAt(closed), UNKNOWN)
})

test('a tarpit, an endless reply, a reply that is no SMTP and a closed connection end the conversation', async (context) => {
  const tarpit = await speakingAs(context, (socket) => socket.write('220-wait\r\n'))
  assert.deepEqual(await askAt(tarpit, { timeoutMs: 100 }), UNKNOWN)
  let sent = 0
  const endless = await speakingAs(context, (socket) => {
    const more = () => {
      while (!socket.destroyed && socket.write('220-and so on\r\n'.repeat(1_000))) sent += 15_000
    }
    socket.on('drain', more)
    more()
  })
  assert.deepEqual(await askAt(endless), UNKNOWN)
  assert.ok(sent < 50_000_000, `${sent} bytes were sent`)
  const unbroken = await speakingAs(context, (socket) => socket.write('2'.repeat(100_000)))
  assert.deepEqual(await askAt(unbroken), UNKNOWN)
  // Within the limit in each reply, not in all together.
  const long = await speakingAs(context, (socket) => {
    const reply = (code: number) => socket.write(`${`${code}-\r\n`.repeat(2_600)}${code} 5.1.1\r\n`)
    reply(220)
    socket.on('data', (command) => reply(command.includes('RCPT') ? 550 : 250))
  })
  assert.deepEqual(await askAt(long), UNKNOWN)
  const web = await speakingAs(context, (socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'))
  assert.deepEqual(await askAt(web), UNKNOWN)
  const silent = await speakingAs(context, (socket) => socket.end('220 mail.example\r\n'))
  assert.deepEqual(await askAt(silent), UNKNOWN)
})

test('a mail server at a private address, or that is an address in a record, is not reached', async (context) => {
  let connections = 0
  const port = await speakingAs(context, () => {
    connections += 1
  })
  for (const exchange of ['127.0.0.1', 'localhost', '0x7f000001', '[::1]', 'a b', ''])
    assert.deepEqual(await askAt(port, { exchange, allowPrivateNetwork: false }), UNKNOWN, exchange)
  assert.equal(connections, 0)
})
