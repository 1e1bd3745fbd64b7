import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import type { TestContext } from 'node:test'

const TYPES: Readonly<Record<number, 'A' | 'AAAA'>> = { 1: 'A', 28: 'AAAA' }

/** What the server says to a question; null is silence, an empty list a name without such addresses. */
export type AddressAnswer = (name: string, type: 'A' | 'AAAA') => readonly string[] | null

/** A name server on loopback (RFC 1035) that answers questions for IPv4 and IPv6 addresses. */
export async function startAddressServer(context: TestContext, answer: AddressAnswer) {
  const asked: string[] = []
  const socket = createSocket('udp4')
  socket.on('message', (question, { port, address }) => {
    const { name, end } = readName(question)
    const type = TYPES[question.readUInt16BE(end)]
    if (!type) return
    asked.push(`${type} ${name}`)
    const addresses = answer(name, type)
    if (addresses) socket.send(buildReply(question.subarray(0, end + 4), addresses), port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  context.after(() => void socket.close())
  return { server: `127.0.0.1:${socket.address().port}`, asked }
}

function readName(question: Buffer): { readonly name: string; readonly end: number } {
  const labels: string[] = []
  let at = 12
  for (let size = question[at] ?? 0; size > 0; size = question[at] ?? 0) {
    labels.push(question.toString('latin1', at + 1, at + 1 + size))
    at += size + 1
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 }
}

function buildReply(question: Buffer, addresses: readonly string[]): Buffer {
  const header = Buffer.from(question)
  // Response, recursion desired and available, no error; one question, no authority, nothing additional.
  header.writeUInt16BE(0x8180, 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(addresses.length, 6)
  header.writeUInt32BE(0, 8)
  return Buffer.concat([header, ...addresses.map(toRecord)])
}

function toRecord(address: string): Buffer {
  const isIpv6 = address.includes(':')
  const bytes = isIpv6 ? toIpv6Bytes(address) : Buffer.from(address.split('.').map(Number))
  // A pointer to the question's name, type, class IN, a lifetime of 0.
  const fields = Buffer.from([0xc0, 12, 0, isIpv6 ? 28 : 1, 0, 1, 0, 0, 0, 0, 0, bytes.length])
  return Buffer.concat([fields, bytes])
}

function toIpv6Bytes(address: string): Buffer {
  const [head = '', tail = ''] = address.split('::')
  const groups = (part: string) => part.split(':').filter((group) => group !== '')
  const [before, after] = [groups(head), groups(tail)]
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0')
  return Buffer.from([...before, ...zeros, ...after].map((group) => group.padStart(4, '0')).join(''), 'hex')
}
