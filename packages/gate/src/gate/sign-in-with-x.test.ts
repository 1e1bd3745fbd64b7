import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMessageRecovery } from '@tollbook/chain/message-signer'
import { recoverPurely } from '@tollbook/chain/recover-purely'
import { fc } from '@tollbook/testing/property'
import {
  createSIWxPayload,
  encodeSIWxHeader,
  formatSIWEMessage,
  parseSIWxHeader,
  validateSIWxMessage,
} from '@x402/extensions/sign-in-with-x'
import { privateKeyToAccount } from 'viem/accounts'
import { isProofFor, parseSignIn, type SignInProof, toSignedText } from './sign-in-with-x.ts'

const account = privateKeyToAccount(`0x${'01'.repeat(32)}`)
const SERVICE = new URL('https://api.tollbook.example/v1')

const proof = (now = new Date()): SignInProof => ({
  domain: SERVICE.host,
  address: account.address,
  statement: 'Show that you paid for this answer.',
  uri: 'https://api.tollbook.example/v1/tweets?id=1',
  version: '1',
  chainId: 'eip155:8453',
  type: 'eip191',
  nonce: '0123456789abcdef',
  issuedAt: now.toISOString(),
  expirationTime: new Date(now.getTime() + 300_000).toISOString(),
  signature: '0x',
})

function orNull<Result>(act: () => Result): Result | null {
  try {
    return act()
  } catch {
    return null
  }
}

test("a proof of the package's client is read, valid and signed by its wallet", async () => {
  const { address: _, signature: __, ...info } = proof()
  const complete = { ...info, type: 'eip191' } as Parameters<typeof createSIWxPayload>[0]
  const made = await createSIWxPayload(complete, account, info.uri)
  const read = parseSignIn(encodeSIWxHeader(made))
  assert.ok(read)
  assert.equal(isProofFor(read, SERVICE, new Date()), true)
  const text = toSignedText(read)
  assert.ok(text)
  const signer = await createMessageRecovery(recoverPurely)(text, read.signature as `0x${string}`)
  assert.equal(signer, account.address.toLowerCase())
})

test('a header is read as by the package, and refused as by the package', () => {
  const members = fc.record(
    {
      statement: fc.string(),
      notBefore: fc.string(),
      requestId: fc.string(),
      resources: fc.array(fc.string()),
      signatureScheme: fc.constantFrom('eip191', 'eip6492', 'other'),
      type: fc.constantFrom('eip191', 'ed25519', 'other'),
      address: fc.oneof(fc.string(), fc.integer()),
      other: fc.jsonValue(),
    },
    { requiredKeys: [] },
  )
  const base64 = (text: string) => Buffer.from(text).toString('base64')
  const header = fc.oneof(
    members.map((more) => base64(JSON.stringify({ ...proof(), ...more }))),
    fc.jsonValue().map((value) => base64(JSON.stringify(value))),
    fc.string().map(base64),
    fc.string(),
    fc.constantFrom('', 'e30', 'e30=', 'e30==', ' e30=', 'e3 0=', `${base64(JSON.stringify(proof()))}=`),
  )
  fc.assert(
    fc.property(header, (text) => {
      assert.deepEqual(
        parseSignIn(text),
        orNull(() => parseSIWxHeader(text)),
      )
    }),
    { numRuns: 500 },
  )
})

test('a proof is for a service, and valid at a time, as by the package', async () => {
  // Far enough from each limit for the time that the package takes from its own clock.
  const seconds = fc.oneof(fc.integer({ min: -400, max: 400 }), fc.constantFrom(-301, -299, -1, 1))
  const time = fc.oneof(
    seconds.map((away) => new Date(Date.now() + away * 1_000 + 500).toISOString()),
    fc.constantFrom('', 'tomorrow'),
  )
  await fc.assert(
    fc.asyncProperty(
      fc.record(
        {
          issuedAt: time,
          expirationTime: time,
          notBefore: time,
          domain: fc.constantFrom(SERVICE.host, 'tollbook.example'),
          uri: fc.constantFrom(
            SERVICE.href,
            'https://api.tollbook.example',
            'http://api.tollbook.example',
            'no',
          ),
        },
        { requiredKeys: [] },
      ),
      async (members) => {
        const one = { ...proof(new Date(Date.now() - 1_000)), ...members }
        const { isValid } = await validateSIWxMessage(one, SERVICE)
        assert.equal(isProofFor(one, SERVICE, new Date()), isValid, JSON.stringify(one))
      },
    ),
    { numRuns: 500 },
  )
})

test('the text to sign is the one of the package, and what it refuses has none', () => {
  const text = (...more: readonly string[]) =>
    fc.oneof(fc.constantFrom('', 'a\nb', 'ä', '%zz', 'a b', ...more), fc.string({ maxLength: 12 }))
  const times = text(
    '2026-11-29T23:00:00Z',
    '2026-11-29T23:00:00.123+01:00',
    '2026-11-29',
    '2026-11-29T23:00',
  )
  const members = fc.record(
    {
      address: fc.constantFrom<string>(
        account.address,
        account.address.toLowerCase(),
        account.address.replace('A', 'a').replace('c', 'C'),
        `${account.address}0`,
        '0x12',
      ),
      statement: text('I agree.', "a:/?#[]@!$&'()*+,;=-._~", '"', '%20'),
      version: fc.constantFrom('1', '2', ''),
      chainId: fc.constantFrom('eip155:8453', 'eip155:1', 'eip155:', 'solana:1', '8453'),
      nonce: fc.constantFrom('abcdefgh', 'ABCDEFG1', 'abcdefg', 'abcd efgh', 'abcdefgh-'),
      uri: fc.constantFrom(
        'https://a.b/c?d=e#f',
        'urn:a:b',
        'https://a.b/%20',
        'https://a.b/%2',
        'no',
        'https://a b',
      ),
      issuedAt: times,
      expirationTime: times,
      notBefore: times,
      requestId: text('a-1', 'a/b', '%41'),
      resources: fc.array(fc.constantFrom('https://a.b', 'ipfs://Qm/1', 'data:,a%20b', 'no', 'a:b\n- c:d'), {
        maxLength: 3,
      }),
    },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(members, (some) => {
      const one = { ...proof(), ...some }
      const theirs = orNull(() =>
        formatSIWEMessage(one as Parameters<typeof formatSIWEMessage>[0], one.address),
      )
      assert.equal(toSignedText(one), theirs, JSON.stringify(one))
    }),
    { numRuns: 1_000 },
  )
})
