import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CONTRACTS } from '@tollbook/chain/contracts'
import { DEV_CLIENT_ADDRESSES, DEV_CLIENT_KEYS } from '@tollbook/chain/dev-accounts'
import { BASE } from '@tollbook/chain/network'
import { exactTerms, GAS_SPONSORING, signHeader, uptoTerms } from '@tollbook/testing/payments/offered-payment'
import { fc } from '@tollbook/testing/property'
import { decodePayment, type Offer } from './decode-payment.ts'

const exact = exactTerms('2237')
const upto = uptoTerms('41977')
const OTHER_WALLET = '0x00000000000000000000000000000000000000aa'

type Json = Record<string, unknown>
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64')
const read = (header: string) => JSON.parse(Buffer.from(header, 'base64').toString()) as Json

/** The client's payment with the value at a dotted path replaced. */
async function changed(offer: Offer, path: string, value: unknown): Promise<string> {
  const envelope = read(await signHeader(DEV_CLIENT_KEYS[0], offer))
  const steps = path.split('.')
  const last = steps.pop() ?? ''
  let place: Json = envelope
  for (const step of steps) {
    place[step] ??= {}
    place = place[step] as Json
  }
  place[last] = value
  return encode(envelope)
}

function refusalOf(header: string, offer: Offer): { code?: string; reason?: unknown } {
  const decoded = decodePayment(header, offer)
  if ('payment' in decoded) return {}
  return { code: decoded.problem.code, reason: decoded.problem.members?.reason }
}

test('an exact payment of the unmodified SDK is decoded', async () => {
  const decoded = decodePayment(await signHeader(DEV_CLIENT_KEYS[0], { terms: [exact] }), { terms: [exact] })
  assert.ok('payment' in decoded)
  const { payment } = decoded
  assert.equal(payment.scheme, 'exact')
  assert.equal(payment.payer, DEV_CLIENT_ADDRESSES[0].toLowerCase())
  assert.equal(payment.payTo, exact.payTo.toLowerCase())
  assert.equal(payment.signedAmount, 2237n)
  assert.equal(payment.terms, exact)
  assert.equal(payment.resourceUrl, 'https://utility.example/api/qr')
  assert.match(payment.nonce, /^0x[0-9a-f]{64}$/)
})

test('a refusal names the member that differs from the offer', async () => {
  const header = await signHeader(DEV_CLIENT_KEYS[0], { terms: [exact] })
  const detailOf = (change: object) => {
    const envelope = JSON.parse(Buffer.from(header, 'base64').toString())
    const swapped = { ...envelope, accepted: { ...envelope.accepted, ...change } }
    const decoded = decodePayment(Buffer.from(JSON.stringify(swapped)).toString('base64'), { terms: [exact] })
    return 'problem' in decoded ? decoded.problem.detail : ''
  }
  const prefix = 'the payment was rejected: accepted'
  assert.equal(detailOf({ amount: '1' }), `${prefix}.amount is not the offered one`)
  assert.equal(detailOf({ network: 'eip155:84532' }), `${prefix}.network is not the offered one`)
  assert.equal(detailOf({ scheme: 'upto' }), `${prefix}.scheme is not offered here (exact)`)
  assert.equal(detailOf({ discount: '1' }), `${prefix} has members that were not offered`)
})

test('an upto payment of the unmodified SDK is decoded among several offers', async () => {
  const offer = { terms: [exact, upto] }
  const decoded = decodePayment(await signHeader(DEV_CLIENT_KEYS[0], { terms: [upto] }), offer)
  assert.ok('payment' in decoded)
  assert.equal(decoded.payment.scheme, 'upto')
  assert.equal(decoded.payment.signedAmount, 41_977n)
  assert.equal(decoded.payment.payTo, upto.payTo.toLowerCase())
})

const SWAPS: readonly [field: string, offer: Offer, path: string, value: unknown, reason: string][] = [
  ['amount', { terms: [exact] }, 'accepted.amount', '1', 'invalid_payment_requirements'],
  ['payTo', { terms: [exact] }, 'accepted.payTo', OTHER_WALLET, 'invalid_payment_requirements'],
  ['asset', { terms: [exact] }, 'accepted.asset', OTHER_WALLET, 'invalid_payment_requirements'],
  ['network', { terms: [exact] }, 'accepted.network', 'eip155:84532', 'invalid_payment_requirements'],
  ['scheme', { terms: [exact] }, 'accepted.scheme', 'upto', 'invalid_payment_requirements'],
  ['lifetime', { terms: [exact] }, 'accepted.maxTimeoutSeconds', 9999, 'invalid_payment_requirements'],
  ['extra', { terms: [exact] }, 'accepted.extra.paymentFlow', 'upfront', 'invalid_payment_requirements'],
  ['added field', { terms: [exact] }, 'accepted.discount', '1', 'invalid_payment_requirements'],
  [
    'signed value',
    { terms: [exact] },
    'payload.authorization.value',
    '1',
    'invalid_exact_evm_payload_authorization_value_mismatch',
  ],
  [
    'signed payee',
    { terms: [exact] },
    'payload.authorization.to',
    OTHER_WALLET,
    'invalid_exact_evm_recipient_mismatch',
  ],
  [
    'signed maximum',
    { terms: [upto] },
    'payload.permit2Authorization.permitted.amount',
    '99',
    'permit2_amount_mismatch',
  ],
  [
    'signed token',
    { terms: [upto] },
    'payload.permit2Authorization.permitted.token',
    OTHER_WALLET,
    'permit2_token_mismatch',
  ],
  [
    'spender',
    { terms: [upto] },
    'payload.permit2Authorization.spender',
    CONTRACTS.exactPermit2Proxy,
    'invalid_permit2_spender',
  ],
  [
    'witness payee',
    { terms: [upto] },
    'payload.permit2Authorization.witness.to',
    OTHER_WALLET,
    'invalid_permit2_recipient_mismatch',
  ],
  [
    'witness facilitator',
    { terms: [upto] },
    'payload.permit2Authorization.witness.facilitator',
    OTHER_WALLET,
    'upto_facilitator_mismatch',
  ],
]

for (const [field, offer, path, value, reason] of SWAPS)
  test(`a payment whose ${field} was swapped is rejected`, async () => {
    const header = await changed(offer, path, value)
    assert.deepEqual(refusalOf(header, offer), { code: 'payment_invalid', reason })
  })

test('a refused payment of an earlier price is read, and one with an asset or domain of its own is not', async () => {
  const header = await signHeader(DEV_CLIENT_KEYS[0], { terms: [exact] })
  const dearer = decodePayment(header, { terms: [exactTerms('9000')] })
  assert.ok('problem' in dearer)
  assert.equal(dearer.earlier?.signedAmount, 2237n)
  for (const [path, value] of [
    ['accepted.asset', OTHER_WALLET],
    ['accepted.extra.name', 'Dollar'],
    ['accepted.extra.version', { deep: 1 }],
    ['accepted.extra.added', 1],
    ['accepted.amount', '2238'],
    ['accepted.payTo', OTHER_WALLET],
  ] as const) {
    const decoded = decodePayment(await changed({ terms: [exact] }, path, value), { terms: [exact] })
    assert.ok('problem' in decoded)
    assert.equal(decoded.earlier, undefined, path)
  }
})

test('requirements match the offered ones regardless of the letter case of addresses', async () => {
  const header = await changed({ terms: [exact] }, 'accepted.payTo', exact.payTo.toLowerCase())
  assert.deepEqual(refusalOf(header, { terms: [exact] }), {})
})

const MALFORMED: readonly [name: string, path: string, value: unknown][] = [
  ['version 1', 'x402Version', 1],
  ['version 99', 'x402Version', 99],
  ['a version as a string', 'x402Version', '2'],
  ['no payload', 'payload', null],
  ['a payload that is an array', 'payload', []],
  ['a signature with an odd number of hex digits', 'payload.signature', '0x123'],
  ['no signature', 'payload.signature', '0x'],
  ['a signature beyond 4 KiB', 'payload.signature', `0x${'00'.repeat(4097)}`],
  ['a value as a number', 'payload.authorization.value', 2237],
  ['a value in hex', 'payload.authorization.value', '0x8bd'],
  ['a negative value', 'payload.authorization.value', '-2237'],
  ['a value with leading zeros', 'payload.authorization.value', '02237'],
  ['a value beyond 256 bits', 'payload.authorization.value', (2n ** 256n).toString()],
  ['a lifetime beyond 2^53', 'payload.authorization.validBefore', (2n ** 60n).toString()],
  ['a short nonce', 'payload.authorization.nonce', '0x01'],
  ['fields of another scheme next to its own', 'payload.permit2Authorization', {}],
  ['an unknown field in the signed object', 'payload.authorization.memo', 'x'],
  ['a short payment identifier', 'extensions.payment-identifier', { info: { id: 'short' } }],
  ['a payment identifier with spaces', 'extensions.payment-identifier', { info: { id: 'a b'.repeat(10) } }],
]

for (const [name, path, value] of MALFORMED)
  test(`a payment with ${name} is malformed`, async () => {
    const header = await changed({ terms: [exact] }, path, value)
    assert.equal(refusalOf(header, { terms: [exact] }).code, 'payment_malformed')
  })

test('a header that is not base64 of a JSON object is malformed', () => {
  const deep = `${'['.repeat(40)}${']'.repeat(40)}`
  const headers = [
    '',
    ' ',
    'null',
    '{}',
    encode(null),
    encode([]),
    encode(2),
    encode('x'),
    `${encode({ x402Version: 2 })}=`,
    encode({ x402Version: 2 }).replace(/=+$/, ''),
    Buffer.from([0xff, 0xfe]).toString('base64'),
    Buffer.from('{"a":').toString('base64'),
    Buffer.from(`{"a":${deep}}`).toString('base64'),
    encode({ x402Version: 2, filler: 'x'.repeat(20_000) }),
  ]
  for (const header of headers)
    assert.equal(refusalOf(header, { terms: [exact] }).code, 'payment_malformed', header.slice(0, 40))
})

test('no header makes the decoder throw', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json(), fc.base64String()), (text) => {
      for (const header of [text, Buffer.from(text).toString('base64')])
        assert.ok('problem' in decodePayment(header, { terms: [exact] }))
    }),
  )
})

test('a client may add to an offered extension, but not change it', async () => {
  const extensions = { 'payment-identifier': { info: { required: false }, schema: { type: 'object' } } }
  const offer = { terms: [exact], extensions }
  const id = 'pay_7d5d747be160e280'
  const adding = await changed(offer, 'extensions.payment-identifier.info.id', id)
  const decoded = decodePayment(adding, offer)
  assert.ok('payment' in decoded)
  assert.equal(decoded.payment.identifier, id)
  const changing = await changed(offer, 'extensions.payment-identifier.info.required', true)
  assert.deepEqual(refusalOf(changing, offer), { code: 'payment_invalid', reason: 'extension_echo_mismatch' })
})

test('a permit that was not signed for this payment is rejected, and an unsigned echo is ignored', async () => {
  const offer = { terms: [upto], extensions: GAS_SPONSORING }
  const echo = decodePayment(await signHeader(DEV_CLIENT_KEYS[0], offer), offer)
  assert.ok('payment' in echo && echo.payment.permit === undefined)
  const info = {
    ...GAS_SPONSORING.eip2612GasSponsoring.info,
    from: DEV_CLIENT_ADDRESSES[0],
    asset: BASE.usdc,
    spender: CONTRACTS.permit2,
    amount: '41977',
    nonce: '0',
    deadline: '1900000000',
    signature: `0x${'11'.repeat(65)}`,
  }
  const withInfo = (change: Json) =>
    changed(offer, 'extensions.eip2612GasSponsoring.info', { ...info, ...change })
  const good = decodePayment(await withInfo({}), offer)
  assert.ok('payment' in good)
  assert.deepEqual(good.payment.permit, { deadline: 1_900_000_000, signature: info.signature })
  for (const [change, reason] of [
    [{ from: OTHER_WALLET }, 'eip2612_from_mismatch'],
    [{ asset: OTHER_WALLET }, 'eip2612_asset_mismatch'],
    [{ spender: OTHER_WALLET }, 'eip2612_spender_not_permit2'],
    [{ amount: '41976' }, 'permit2_2612_amount_mismatch'],
    [{ signature: '0x11' }, 'invalid_eip2612_extension_format'],
  ] as const)
    assert.deepEqual(refusalOf(await withInfo(change), offer), { code: 'payment_invalid', reason })
})
