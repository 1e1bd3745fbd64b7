import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '@tollbook/testing/property'
import { readPriceResource } from '@tollbook/verify/published/price-resource'
import { createSiweMessage, parseSiweMessage } from 'viem/siwe'
import { type Challenge, readNonce, renderChallengeText } from './challenge-text.ts'

const BASE_URL = 'https://tollbook.example'
// Two of the EIP-55 addresses with a checksum.
const WALLET = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const OTHER = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359'

/** Any code point except surrogates. */
const codePoint = fc
  .nat({ max: 0x10ffff - 0x800 })
  .map((at) => String.fromCodePoint(at < 0xd800 ? at : at + 0x800))

const challenge = (change: Partial<Challenge> = {}): Challenge => ({
  nonce: '00112233445566778899aabbccddeeff',
  address: '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed',
  action: 'claim',
  statement: null,
  disclosures: [],
  maxPrice: null,
  issuedAt: new Date('2026-11-15T12:00:00.000Z'),
  expiresAt: new Date('2026-11-15T12:15:00.000Z'),
  ...change,
})

test('the text is an EIP-4361 message, byte for byte', () => {
  const text = renderChallengeText(
    challenge({
      statement: 'Our tests pay us; 100% "honest"\u{1f600}.',
      disclosures: ['0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359'],
      maxPrice: 250_500_000n,
    }),
    BASE_URL,
  )
  assert.equal(
    text,
    `tollbook.example wants you to sign in with your Ethereum account:
${WALLET}

I claim the Tollbook report of this wallet. My own words and further wallets of mine, where they stand under Resources, are to be published with it in place of any that I published before.

URI: https://tollbook.example/claims
Version: 1
Chain ID: 8453
Nonce: 00112233445566778899aabbccddeeff
Issued At: 2026-11-15T12:00:00.000Z
Expiration Time: 2026-11-15T12:15:00.000Z
Resources:
- https://tollbook.example/merchants/base/0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed/claim.json
- data:text/plain;charset=utf-8,Our%20tests%20pay%20us%3B%20100%25%20%22honest%22%F0%9F%98%80.
- did:pkh:eip155:8453:${OTHER}
- data:application/json,%7B%22max_price_usd%22%3A%22250.5%22%7D`,
  )
  assert.equal(readPriceResource(text.split('\n- ').at(-1) ?? ''), 250_500_000n)
  assert.equal(readPriceResource('data:text/plain;charset=utf-8,%7B%22max_price_usd%22%3A%221%22%7D'), null)
})

test('viem writes and reads the same message', () => {
  for (const action of ['claim', 'withdraw'] as const) {
    const text = renderChallengeText(
      challenge({ action, statement: action === 'claim' ? 'Hello' : null }),
      BASE_URL,
    )
    const {
      address,
      domain,
      uri,
      statement = '',
      nonce = '',
      resources = [],
      ...rest
    } = parseSiweMessage(text)
    assert.deepEqual([address, domain, uri], [WALLET, 'tollbook.example', `${BASE_URL}/claims`])
    const again = createSiweMessage({
      address: WALLET,
      domain: 'tollbook.example',
      uri: `${BASE_URL}/claims`,
      statement,
      nonce,
      resources,
      chainId: rest.chainId ?? 0,
      version: '1',
      ...(rest.issuedAt && { issuedAt: rest.issuedAt }),
      ...(rest.expirationTime && { expirationTime: rest.expirationTime }),
    })
    assert.equal(again, text)
    // EIP-4361: a statement contains only reserved and unreserved characters of RFC 3986 and spaces.
    assert.match(statement, /^[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;= ]+$/)
  }
})

test('any statement appears in the text completely and on one line', () => {
  const lines = renderChallengeText(challenge({ statement: 'x' }), BASE_URL).split('\n').length
  fc.assert(
    fc.property(fc.string({ unit: codePoint, minLength: 1, maxLength: 500 }), (statement) => {
      const text = renderChallengeText(challenge({ statement }), BASE_URL)
      assert.equal(text.split('\n').length, lines)
      const [, encoded = ''] = /\n- data:text\/plain;charset=utf-8,(\S*)$/.exec(text) ?? []
      assert.equal(decodeURIComponent(encoded), statement)
      assert.match(encoded, /^[\x21-\x7e]*$/)
    }),
    { numRuns: 50 },
  )
})

test('the nonce of a text can be read back', () => {
  assert.equal(readNonce(renderChallengeText(challenge(), BASE_URL)), challenge().nonce)
  assert.equal(readNonce('Nonce: 12345678\n'), null)
  assert.equal(readNonce(''), null)
})
