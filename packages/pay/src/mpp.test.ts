import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BASE } from '@tollbook/chain/network'
import { exactTerms } from '@tollbook/testing/payments/offered-payment'
import { fc } from '@tollbook/testing/property'
import { Challenge, Credential } from 'mppx'
import { readCharges } from './mpp.ts'

const { asset: currency, payTo: recipient } = exactTerms('1')

const someChallenge = fc
  .record({
    amount: fc.nat().map(String),
    realm: fc.string({ unit: 'grapheme-ascii' }),
    description: fc.option(fc.string({ unit: 'grapheme-ascii' }), { nil: undefined }),
    opaque: fc.option(fc.base64String({ minLength: 4 }), { nil: undefined }),
  })
  .map(({ amount, ...members }) =>
    Challenge.from({
      ...members,
      id: 'an id',
      method: 'evm',
      intent: 'charge',
      request: {
        amount,
        currency,
        recipient,
        methodDetails: { chainId: 8453, credentialTypes: ['authorization'] },
      },
    }),
  )

test('challenges between those of other schemes are read, and echoed as mppx reads them', () => {
  const others = fc.constantFrom(
    'Basic realm="a, Payment id=\\"b\\""',
    'Bearer',
    'Payment id="x", method="tempo"',
  )
  const property = fc.property(fc.array(fc.oneof(someChallenge, others), { maxLength: 4 }), (parts) => {
    const sent = parts.map((part) => (typeof part === 'string' ? part : Challenge.serialize(part)))
    const charges = readCharges(new Headers(sent.map((value) => ['www-authenticate', value])), BASE)
    const challenges = parts.filter((part) => typeof part !== 'string')
    assert.deepEqual(
      charges.map(({ required: { accepts } }) => accepts[0]?.amount),
      challenges.map(({ request }) => request.amount),
    )
    for (const [at, { protocol }] of charges.entries()) {
      const [, credential = ''] = protocol?.seal({ signature: '0x', authorization: { from: '0x' } }) ?? []
      assert.deepEqual(
        { ...Credential.deserialize(credential).challenge },
        Challenge.deserialize(Challenge.serialize(challenges[at] as Challenge.Challenge)),
      )
    }
  })
  fc.assert(property)
})

test('any header is read without an error', () => {
  const some = fc.string({
    unit: fc.constantFrom('Payment ', 'a', '=', '"', '\\', ',', ' ', 'request="e30"'),
  })
  fc.assert(fc.property(some, (value) => void readCharges(new Headers({ 'www-authenticate': value }), BASE)))
})
