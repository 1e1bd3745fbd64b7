import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { after, before, test } from 'node:test'
import { hasBind, startValidatingResolver } from '@tollbook/testing/servers/validating-resolver'
import { readDnssec } from './read-dnssec.ts'

const isMissing = !hasBind()
const skip = isMissing ? 'BIND (bind9) is not installed' : false
const HOSTS = `www A 192.0.2.2
long TXT ${`"${'x'.repeat(250)}" `.repeat(8)}
`
const ZONES = [
  { zone: 'signed', records: `${HOSTS}elsewhere CNAME www.unsigned.\n` },
  // One digit of the address changes after signing.
  {
    zone: 'changed',
    records: HOSTS,
    spoil: (file: string) => file.replaceAll('192.0.2.2', '192.0.2.9'),
  },
  { zone: 'unsigned', records: HOSTS, isUnlinked: true },
  {
    zone: '.',
    records: ['signed', 'changed', 'unsigned']
      .map((zone) => `${zone} NS ns.${zone}\nns.${zone} A 127.0.0.1\n`)
      .join(''),
  },
]

let bind: Awaited<ReturnType<typeof startValidatingResolver>>
before(async () => {
  if (!isMissing) bind = await startValidatingResolver(ZONES)
})
after(() => bind?.close())

const read = (name: string, servers: readonly string[] = [bind.resolver]) =>
  readDnssec(name, { servers, timeoutMs: 5_000 })

test('names that the resolver validated, and names whose absence it validated, are secure', {
  skip,
}, async () => {
  for (const name of ['signed', 'www.signed', 'none.signed']) {
    const { state, reason, resolver, records } = await read(name)
    assert.deepEqual([state, reason, resolver], ['secure', null, bind.resolver], name)
    assert.deepEqual(Object.keys(records), ['A', 'AAAA', 'MX', 'NS', 'TXT', 'SOA', 'CAA'])
  }
})

test('an answer that fits into no datagram is read by TCP', { skip }, async () => {
  assert.equal((await read('long.signed')).records.TXT, 'secure')
})

test('a name without a chain of trust, or an alias of one, is insecure', { skip }, async () => {
  for (const name of ['www.unsigned', 'elsewhere.signed']) {
    const { state, reason } = await read(name)
    assert.deepEqual(
      [state, reason],
      ['insecure', 'the resolver found no chain of trust to its records'],
      name,
    )
  }
})

test('records that the resolver returns only unvalidated are bogus', { skip }, async () => {
  const { state, reason, records } = await read('www.changed')
  assert.deepEqual([state, records.A, records.AAAA], ['bogus', 'bogus', 'secure'])
  assert.equal(reason, 'the resolver rejects its records, which fail validation')
})

test('a resolver that does not validate proves nothing, and the next one is queried', { skip }, async () => {
  const alone = await read('www.signed', [bind.authority])
  assert.deepEqual(alone, { state: 'unknown', reason: 'no resolver validates', resolver: null, records: {} })
  const both = await read('www.unsigned', [bind.authority, bind.resolver])
  assert.deepEqual([both.state, both.resolver], ['insecure', bind.resolver])
})

/** Linux, macOS and Windows refuse to connect a socket to it that is not allowed to broadcast. */
const UNCONNECTABLE = '255.255.255.255'

test('a name whose resolvers cannot be connected to is of an unknown state, and nothing is thrown elsewhere', async () => {
  const servers = [UNCONNECTABLE, `${UNCONNECTABLE}:5353`, 'fe80::1']
  const { state, reason, resolver } = await readDnssec('example.com', { servers })
  assert.deepEqual([state, reason, resolver], ['unknown', 'no resolver answered', null])
})

test('the next resolver is queried if one cannot be connected to', { skip }, async () => {
  assert.equal((await read('www.signed', [UNCONNECTABLE, bind.resolver])).state, 'secure')
})

/** A server that answers each query by what `answer` makes of it. */
async function startServer(answer: (query: Buffer) => readonly Buffer[]) {
  const socket = createSocket('udp4')
  socket.on('message', (query, { port, address }) => {
    for (const message of answer(query)) socket.send(message, port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return { address: `127.0.0.1:${socket.address().port}`, close: () => socket.close() }
}

/** The query with other flags. */
function withFlags(query: Buffer, flags: number): Buffer {
  const message = Buffer.from(query)
  message.writeUInt16BE(flags, 2)
  return message
}

const AUTHENTIC_ANSWER = 0x81a0

test('messages with another id or question, and messages that are no answers, are ignored', async () => {
  const server = await startServer((query) => {
    const answer = withFlags(query, AUTHENTIC_ANSWER)
    const [otherId, otherName] = [Buffer.from(answer), Buffer.from(answer)]
    otherId.writeUInt8(answer.readUInt8(0) ^ 1, 0)
    otherName.writeUInt8(answer.readUInt8(12) ^ 1, 12)
    return [otherId, otherName, query, Buffer.alloc(0), Buffer.from('short')]
  })
  const { state, reason } = await readDnssec('example.com', { servers: [server.address], timeoutMs: 100 })
  assert.deepEqual([state, reason], ['unknown', 'no resolver answered'])
  server.close()
})

test('a resolver that fails for a name, also unvalidated, leaves its state unknown', async () => {
  const server = await startServer((query) => {
    const isRoot = query.readUInt8(12) === 0
    return [withFlags(query, isRoot ? AUTHENTIC_ANSWER : 0x8182)]
  })
  const { state, reason } = await readDnssec('example.com', { servers: [server.address], timeoutMs: 1_000 })
  assert.deepEqual([state, reason], ['unknown', 'the resolver answered with the error code 2'])
  server.close()
})
