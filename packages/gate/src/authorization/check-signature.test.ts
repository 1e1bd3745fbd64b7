import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEV_CLIENT_KEYS } from '@tollbook/chain/dev-accounts'
import { TYPE_HASHES } from '@tollbook/chain/digests'
import type { Hex } from '@tollbook/chain/hex'
import { loadSignerRecovery } from '@tollbook/chain/recover'
import { recoverPurely } from '@tollbook/chain/recover-purely'
import { toPermitTransferTypedData } from '@tollbook/devchain/contracts/typed-data'
import { toTransferTypedData } from '@tollbook/testing/chain/authorization-typed-data'
import { exactTerms, makeExact, payTerms, uptoTerms } from '@tollbook/testing/payments/offered-payment'
import { fc } from '@tollbook/testing/property'
import { hashTypedData, keccak256, stringToBytes } from 'viem'
import { privateKeyToAccount, sign } from 'viem/accounts'
import type { OfferedPayment } from '../payment.ts'
import { createPaymentDigest, createSignatureChecker } from './check-signature.ts'

const terms = exactTerms('2237')
const KEY = DEV_CLIENT_KEYS[0]
/** Order of secp256k1 (SEC 2). */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

const hexOf = (bytes: Uint8Array): Hex => `0x${Buffer.from(bytes).toString('hex')}`
const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(hexOf)
const address = fc.uint8Array({ minLength: 20, maxLength: 20 }).map(hexOf)
const seconds = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER })
const uint256 = fc.bigInt(0n, 2n ** 256n - 1n)

test('the type hashes are the hashes of their type strings', () => {
  const hash = (text: string) => keccak256(stringToBytes(text))
  const permissions = 'TokenPermissions(address token,uint256 amount)'
  const exactWitness = 'Witness(address to,uint256 validAfter)'
  const uptoWitness = 'Witness(address to,address facilitator,uint256 validAfter)'
  const permit =
    'PermitWitnessTransferFrom(TokenPermissions permitted,address spender,uint256 nonce,uint256 deadline,Witness witness)'
  assert.deepEqual(TYPE_HASHES, {
    tokenDomain: hash('EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)'),
    permit2Domain: hash('EIP712Domain(string name,uint256 chainId,address verifyingContract)'),
    transfer: hash(
      'TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)',
    ),
    exactPermitTransfer: hash(`${permit}${permissions}${exactWitness}`),
    uptoPermitTransfer: hash(`${permit}${permissions}${uptoWitness}`),
    tokenPermissions: hash(permissions),
    exactWitness: hash(exactWitness),
    uptoWitness: hash(uptoWitness),
    voucher: hash('Voucher(bytes32 channelId,uint128 maxClaimableAmount)'),
    refund: hash('Refund(bytes32 channelId,uint256 nonce,uint128 amount)'),
    channel: hash(
      'ChannelConfig(address payer,address payerAuthorizer,address receiver,address receiverAuthorizer,address token,uint40 withdrawDelay,bytes32 salt)',
    ),
    namedDomain: hash('EIP712Domain(string name,string version,uint256 chainId)'),
    offer: hash(
      'Offer(uint256 version,string resourceUrl,string scheme,string network,string asset,string payTo,string amount,uint256 validUntil)',
    ),
    receipt: hash(
      'Receipt(uint256 version,string network,string resourceUrl,string payer,uint256 issuedAt,string transaction)',
    ),
  })
})

test("the digest of any payment equals viem's", async () => {
  const digestOf = createPaymentDigest()
  const payment = await makeExact(KEY, terms, { signature: '0x00' })
  const upto = uptoTerms('2237')
  fc.assert(
    fc.property(
      fc.record({
        payer: address,
        payTo: address,
        signedAmount: uint256,
        nonce: bytes32,
        validAfter: seconds,
        validBefore: seconds,
      }),
      (fields) => {
        const times = { validAfter: BigInt(fields.validAfter) }
        const transfer = toTransferTypedData({
          ...times,
          from: fields.payer,
          to: fields.payTo,
          value: fields.signedAmount,
          validBefore: BigInt(fields.validBefore),
          nonce: fields.nonce,
        })
        assert.equal(hexOf(digestOf({ ...payment, ...fields })), hashTypedData(transfer))
        const permitted = {
          ...times,
          amount: fields.signedAmount,
          nonce: BigInt(fields.nonce),
          deadline: BigInt(fields.validBefore),
          to: fields.payTo,
        }
        const byPermit2 = { ...payment, ...fields, transferMethod: 'permit2' } as const
        assert.equal(
          hexOf(digestOf(byPermit2)),
          hashTypedData(toPermitTransferTypedData({ ...permitted, facilitator: null })),
        )
        const facilitator = String(upto.extra.facilitatorAddress) as Hex
        const permit = toPermitTransferTypedData({ ...permitted, facilitator })
        const offered = { ...payment, ...fields, scheme: 'upto', terms: upto } as const
        assert.equal(hexOf(digestOf(offered)), hashTypedData(permit))
      },
    ),
    { numRuns: 100 },
  )
})

test('native recovery returns what pure recovery returns, also for garbage', async () => {
  const { kind, recoverSigner } = loadSignerRecovery()
  // The prebuilt binding exists for the platforms of CI.
  assert.equal(kind, process.platform === 'linux' && process.arch === 'x64' ? 'native' : kind)
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ minLength: 32, maxLength: 32 }),
      fc.uint8Array({ minLength: 64, maxLength: 64 }),
      fc.constantFrom(0, 1, 26, 27, 28, 29, 255),
      async (digest, rs, v) => {
        const signature = Uint8Array.of(...rs, v)
        assert.equal(await recoverSigner(digest, signature), await recoverPurely(digest, signature))
      },
    ),
    { numRuns: 100 },
  )
  for (const signature of [
    new Uint8Array(),
    new Uint8Array(64),
    new Uint8Array(66),
    new Uint8Array(65).fill(255),
  ])
    assert.equal(await recoverSigner(new Uint8Array(32), signature), null)
})

for (const recovery of [loadSignerRecovery(), { kind: 'pure', recoverSigner: recoverPurely } as const]) {
  const checker = createSignatureChecker(recovery)
  const tampered = (payment: OfferedPayment, change: Partial<OfferedPayment>) =>
    checker.checkSignature({ ...payment, ...change }, false)

  test(`payments of the unmodified SDK have valid signatures (${recovery.kind})`, async () => {
    assert.equal(await checker.checkSignature(await payTerms(KEY, terms)), 'valid')
    assert.equal(await checker.checkSignature(await payTerms(KEY, uptoTerms('41977'))), 'valid')
  })

  test(`a signature covers every signed field (${recovery.kind})`, async () => {
    const payment = await makeExact(KEY, terms)
    assert.equal(await tampered(payment, {}), 'valid')
    for (const change of [
      { payer: '0x00000000000000000000000000000000000000aa' },
      { payTo: '0x00000000000000000000000000000000000000aa' },
      { signedAmount: 2238n },
      { validAfter: 1 },
      { validBefore: payment.validBefore + 1 },
      { nonce: `0x${'00'.repeat(32)}` },
      { terms: exactTerms('2237', { network: 'eip155:84532' }) },
      { terms: exactTerms('2237', { extra: { name: 'USDC', version: '2' } }) },
    ] as const)
      assert.equal(await tampered(payment, change), 'invalid')
  })

  test(`the high-s twin of a signature, and a v of 0 or 1, are rejected (${recovery.kind})`, async () => {
    const payment = await makeExact(KEY, terms)
    const [r, s] = [payment.signature.slice(2, 66), BigInt(`0x${payment.signature.slice(66, 130)}`)]
    const v = Number.parseInt(payment.signature.slice(130), 16)
    const twin = `0x${r}${(ORDER - s).toString(16).padStart(64, '0')}${(55 - v).toString(16)}` as const
    assert.equal(await checker.checkSignature({ ...payment, signature: twin }), 'invalid')
    const zeroBased = `${payment.signature.slice(0, 130)}0${v - 27}` as Hex
    assert.equal(await tampered(payment, { signature: zeroBased }), 'invalid')
  })

  test(`any other signature requires a payer with code (${recovery.kind})`, async () => {
    const payment = await makeExact(KEY, terms)
    const others: Hex[] = [
      `0x${'11'.repeat(65)}`,
      `0x${'11'.repeat(64)}`,
      `0x${'11'.repeat(300)}`,
      await sign({ hash: `0x${'22'.repeat(32)}`, privateKey: KEY, to: 'hex' }),
    ]
    for (const signature of others) {
      assert.equal(await checker.checkSignature({ ...payment, signature }), 'needs-chain')
      assert.equal(await checker.checkSignature({ ...payment, signature }, true), 'needs-chain')
      assert.equal(await checker.checkSignature({ ...payment, signature }, false), 'invalid')
    }
    const undeployed = `0x${'11'.repeat(300)}${'6492'.repeat(16)}` as const
    assert.equal(await checker.checkSignature({ ...payment, signature: undeployed }, false), 'needs-chain')
  })
}

test('the known answer of the self-test is the signature of its key', async () => {
  const account = privateKeyToAccount(`0x${'01'.repeat(32)}`)
  const signature = await sign({
    hash: `0x${'02'.repeat(32)}`,
    privateKey: `0x${'01'.repeat(32)}`,
    to: 'hex',
  })
  const signer = await recoverPurely(Buffer.alloc(32, 2), Buffer.from(signature.slice(2), 'hex'))
  assert.equal(signer, account.address.toLowerCase())
})
