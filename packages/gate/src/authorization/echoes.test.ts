import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '@tollbook/testing/property'
import { createEchoes } from './echoes.ts'
import { parseHeader } from './header.ts'

const long = 'long enough to be searched for,'.repeat(3)
const challenge = {
  resource: { url: 'https://a.example/x', description: long, mimeType: 'text/plain', serviceName: 'A' },
  accepts: [
    {
      scheme: 'exact',
      network: 'eip155:8453',
      amount: '10000',
      asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
      payTo: '0x1111111111111111111111111111111111111111',
      maxTimeoutSeconds: 60,
      extra: { name: 'USD Coin', version: '2' },
    },
  ],
  extensions: { bazaar: { info: { text: `"${long}\\ü` }, schema: { nested: [[{}]] } }, short: { info: {} } },
} as const
const echoes = createEchoes(challenge)
const payment = {
  x402Version: 2,
  payload: { signature: '0x00' },
  resource: challenge.resource,
  accepted: challenge.accepts[0],
  extensions: challenge.extensions,
}

const toHeader = (json: string) => Buffer.from(json).toString('base64')

/** Both ways of parsing must agree on any text. */
function assertSame(json: string): void {
  const header = toHeader(json)
  assert.deepEqual(parseHeader(header, echoes), parseHeader(header))
}

test('the echoed parts of a challenge are returned as they were offered', () => {
  assert.deepEqual(
    echoes.map(({ name }) => name),
    ['resource', 'accepted', 'bazaar'],
  )
  const read = parseHeader(toHeader(JSON.stringify(payment)), echoes)
  assert.ok('envelope' in read)
  assert.deepEqual(read.envelope, payment)
  const { extensions } = read.envelope as typeof payment
  assert.equal(extensions.bazaar, challenge.extensions.bazaar)
})

test('a client may change its echo, add to it, or write it with white space', () => {
  assertSame(JSON.stringify(payment, null, 2))
  const { bazaar } = challenge.extensions
  assertSame(JSON.stringify({ ...payment, extensions: { bazaar: { ...bazaar, more: 1 } } }))
  assertSame(JSON.stringify({ ...payment, extensions: { bazaar: { ...bazaar, info: {} } } }))
})

test('an echo in another place, in a string or a second time is parsed as ordinary JSON', () => {
  const [first] = echoes
  assert.ok(first)
  for (const { text } of echoes) {
    for (const json of [
      `{${text}}`,
      `{"extensions":{"in":{${text}}}}`,
      `{"extensions":{${text},${text}}}`,
      `{"extensions":{${text},"bazaar":1}}`,
      `{"extensions":{"bazaar":1,${text}}}`,
      `{"extensions":{${text}5}}`,
      `{"extensions":{${text}}`,
      `{"a":"{${text}}`,
      `{"a":"\\\\{${text}}`,
      `{"a":"\\",${text}}`,
      `[${text}]`,
      JSON.stringify({ extensions: { a: `{${text}}` }, accepted: `,${text}` }),
    ])
      assertSame(json)
  }
})

const member = fc.constantFrom(
  'resource',
  'accepted',
  'extensions',
  'bazaar',
  'short',
  '__proto__',
  'a"b',
  'a',
)
const leaf = fc.constantFrom<unknown>(
  1,
  null,
  '',
  `{${echoes.at(-1)?.text}`,
  challenge.resource,
  challenge.accepts[0],
  challenge.extensions.bazaar,
  challenge.extensions,
)
const { tree } = fc.letrec((tie) => ({
  tree: fc.oneof({ maxDepth: 3 }, leaf, fc.array(tie('tree'), { maxLength: 3 }), tie('object')),
  object: fc.array(fc.tuple(member, tie('tree')), { maxLength: 4 }).map((entries) => {
    const json = entries.map(([name, value]) => `${JSON.stringify(name)}:${toJson(value)}`)
    // Duplicate members, which an object cannot represent.
    return new Written(`{${json.join(',')}}`)
  }),
}))

class Written {
  readonly json: string
  constructor(json: string) {
    this.json = json
  }
}

function toJson(value: unknown): string {
  if (value instanceof Written) return value.json
  if (Array.isArray(value)) return `[${value.map(toJson).join(',')}]`
  return JSON.stringify(value)
}

test('any JSON, valid or not, is parsed as it would be without echoes', () => {
  const damage = fc.option(
    fc.record({ at: fc.nat(6000), cut: fc.nat(3), put: fc.constantFrom('', '"', '\\', ',', '{', '}', ' ') }),
  )
  fc.assert(
    fc.property(tree, damage, (value, change) => {
      const json = toJson(value)
      if (!change) return assertSame(json)
      const at = json.length === 0 ? 0 : change.at % json.length
      assertSame(json.slice(0, at) + change.put + json.slice(at + change.cut))
    }),
    { numRuns: 500 },
  )
})
