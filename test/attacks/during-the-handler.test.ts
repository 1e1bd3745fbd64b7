import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { CONTRACTS } from '@tollbook/chain/contracts'
import { DEV_CLIENT_ADDRESSES } from '@tollbook/chain/dev-accounts'
import { BASE } from '@tollbook/chain/network'
import { devUptoProxyAbi } from '@tollbook/devchain/contracts/abis'
import { toCancelTypedData } from '@tollbook/testing/chain/authorization-typed-data'
import { devPermit2Abi } from '@tollbook/testing/chain/dev-abis'
import { CENT, METER } from '@tollbook/testing/paying/desk'
import {
  type Customer,
  openPayment,
  openShop,
  receiptOf,
  refusalOf,
  type Shop,
  STRANGER,
} from '@tollbook/testing/paying/shop'
import { createSIWxPayload, encodeSIWxHeader } from '@x402/extensions/sign-in-with-x'
import { parseSignature } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'

const PATH = '/test/good?word=hi'
const METERED = '/test/meter?word=hi'
const ELSEWHERE = DEV_CLIENT_ADDRESSES[8]

let shop: Shop
before(async () => {
  shop = await openShop()
})
beforeEach(() => {
  Object.assign(shop.desk, { runs: 0, during: () => {}, charge: 0n })
})
after(() => shop?.close())

/** Sends the payer's whole balance away. */
async function drain(payer: Customer): Promise<void> {
  await shop.callUsdc(payer.key, 'transfer', [ELSEWHERE, await shop.balanceOf(payer.address)])
}

/** Submits a signed authorization, as anyone can. */
function submit(header: string): Promise<void> {
  const { signature, authorization } = openPayment(header).payload
  const { from, to, value, validAfter, validBefore, nonce } = authorization
  const times = [BigInt(validAfter), BigInt(validBefore)]
  const args = [from, to, BigInt(value), ...times, nonce, signature]
  return shop.callUsdc(STRANGER, 'transferWithAuthorization', args)
}

/** What the store holds about a payer's calls. */
function rowsOf(payer: Customer) {
  return shop.seller.state.db
    .selectFrom('paid_call')
    .select(['state', 'answer_status', 'answer_body', 'answer_file', 'offer'])
    .where('payer', '=', payer.address.toLowerCase())
    .execute()
}

test('a wallet emptied while its handler runs gets no answer, and the answer is not stored', async () => {
  const payer = await shop.newPayer(CENT)
  shop.desk.during = () => drain(payer)
  const payment = await shop.sign(payer, PATH)
  const response = await shop.ask(PATH, payment)
  assert.equal(receiptOf(response)?.success, false)
  assert.equal(response.headers.get('x-should-retry'), 'false')
  assert.equal(await refusalOf(response), 'payment_settlement_failed')
  const nothing = { answer_status: null, answer_body: null, answer_file: null, offer: null }
  assert.deepEqual(await rowsOf(payer), [{ state: 'released', ...nothing }])

  shop.desk.during = () => {}
  assert.equal(await refusalOf(await shop.ask(PATH, payment)), 'payment_insufficient')
  await shop.seller.chain.fundUsdc(payer.address, CENT)
  assert.equal((await shop.ask(PATH, payment)).status, 200)
  assert.equal(await shop.balanceOf(payer.address), 0n)
})

test('an authorization cancelled while its handler runs gets no answer, then or later', async () => {
  const payer = await shop.newPayer()
  const payment = await shop.sign(payer, PATH)
  const { nonce } = openPayment(payment).payload.authorization
  const cancellation = await payer.signTypedData(toCancelTypedData({ authorizer: payer.address, nonce }))
  shop.desk.during = () =>
    shop.callUsdc(STRANGER, 'cancelAuthorization', [payer.address, nonce, cancellation])
  const before = await shop.balanceOf(payer.address)
  assert.equal(await refusalOf(await shop.ask(PATH, payment)), 'payment_settlement_failed')
  shop.desk.during = () => {}
  assert.equal(await refusalOf(await shop.ask(PATH, payment)), 'payment_invalid')
  assert.equal(shop.desk.runs, 1)
  assert.equal(await shop.balanceOf(payer.address), before)
})

test('an upto permit invalidated while its handler runs gets no answer, then or later', async () => {
  const payer = await shop.newPayer()
  await shop.allowPermit2(payer)
  const nonce = `0x${'c4'.repeat(32)}` as const
  const payment = await shop.sign(payer, METERED, { nonce })
  const wide = BigInt(nonce)
  shop.desk.during = () =>
    shop.call(payer.key, {
      address: CONTRACTS.permit2,
      abi: devPermit2Abi,
      functionName: 'invalidateUnorderedNonces',
      args: [wide >> 8n, 1n << (wide & 0xffn)],
    })
  assert.equal(await refusalOf(await shop.ask(METERED, payment)), 'payment_settlement_failed')
  shop.desk.during = () => {}
  assert.equal(await refusalOf(await shop.ask(METERED, payment)), 'payment_invalid')
  assert.equal(shop.desk.runs, 1)
})

test('an allowance revoked while the handler runs gets no answer', async () => {
  const payer = await shop.newPayer()
  await shop.allowPermit2(payer)
  const payment = await shop.sign(payer, METERED)
  shop.desk.during = () => shop.callUsdc(payer.key, 'approve', [CONTRACTS.permit2, 0n])
  const response = await shop.ask(METERED, payment)
  assert.equal(await refusalOf(response), 'payment_settlement_failed')
  assert.equal(shop.desk.runs, 1)
})

test('a payment that someone else submits while its handler runs is charged once and answered', async () => {
  const payer = await shop.newPayer()
  const payment = await shop.sign(payer, PATH)
  shop.desk.during = () => submit(payment)
  const before = await shop.balanceOf(payer.address)
  const response = await shop.ask(PATH, payment)
  assert.equal(response.status, 200)
  const receipt = receiptOf(response)
  assert.equal(receipt?.success, true)
  const mined = await shop.chain.getTransactionReceipt({ hash: receipt?.transaction as `0x${string}` })
  assert.equal(mined.from.toLowerCase(), DEV_CLIENT_ADDRESSES[9].toLowerCase())
  assert.equal(before - (await shop.balanceOf(payer.address)), CENT)

  assert.equal((await shop.ask(PATH, payment)).status, 200)
  assert.equal(await refusalOf(await shop.ask('/test/good?word=ho', payment)), 'payer_proof_required')
  assert.equal(shop.desk.runs, 1)
  assert.equal(before - (await shop.balanceOf(payer.address)), CENT)
})

test('a stock client whose payment was submitted by someone else is charged once and answered', async () => {
  const payer = await shop.newPayer()
  const client = shop.stockClient(payer)
  let seen = ''
  const spying: typeof fetch = (input, init) => {
    const request = new Request(input, init)
    seen = request.headers.get('payment-signature') ?? seen
    return fetch(request)
  }
  shop.desk.during = () => submit(seen)
  const before = await shop.balanceOf(payer.address)
  const response = await client.over(spying)(`${shop.seller.url}${PATH}`)
  assert.equal(response.status, 200)
  assert.equal(client.signatures(), 1)
  assert.equal(before - (await shop.balanceOf(payer.address)), CENT)
})

test('a stock client signs only once even if its wallet is emptied while the handler runs', async () => {
  const payer = await shop.newPayer(CENT)
  const client = shop.stockClient(payer)
  shop.desk.during = () => drain(payer)
  const response = await client.over(fetch)(`${shop.seller.url}${PATH}`)
  assert.equal(response.status, 402)
  assert.equal(client.signatures(), 1)
  assert.equal(shop.desk.runs, 1)
})

test('only the facilitator can submit an upto payment, for any amount', async () => {
  const payer = await shop.newPayer()
  await shop.allowPermit2(payer)
  const payment = await shop.sign(payer, METERED)
  const { signature, permit2Authorization: signed } = openPayment(payment).payload as unknown as UptoPayload
  const permit = {
    permitted: { token: signed.permitted.token, amount: BigInt(signed.permitted.amount) },
    nonce: BigInt(signed.nonce),
    deadline: BigInt(signed.deadline),
  }
  const witness = { ...signed.witness, validAfter: BigInt(signed.witness.validAfter) }
  let refusal: unknown
  shop.desk.during = async () => {
    refusal = await shop
      .call(STRANGER, {
        address: CONTRACTS.uptoPermit2Proxy,
        abi: devUptoProxyAbi,
        functionName: 'settle',
        args: [permit, METER.most, signed.from, witness, signature],
      })
      .catch((error: unknown) => error)
  }
  const before = await shop.balanceOf(payer.address)
  assert.equal((await shop.ask(METERED, payment)).status, 200)
  assert.match(String(refusal), /UnauthorizedFacilitator/)
  assert.equal(before - (await shop.balanceOf(payer.address)), METER.least)
})

type UptoPayload = {
  readonly signature: `0x${string}`
  readonly permit2Authorization: {
    readonly from: `0x${string}`
    readonly permitted: { readonly token: `0x${string}`; readonly amount: string }
    readonly nonce: string
    readonly deadline: string
    readonly witness: {
      readonly to: `0x${string}`
      readonly facilitator: `0x${string}`
      readonly validAfter: string
    }
  }
}

test('an allowance permit that someone else submits first does not prevent the settlement', async () => {
  const payer = await shop.newPayer()
  const client = shop.stockClient(payer)
  let seen = ''
  const spying: typeof fetch = (input, init) => {
    const request = new Request(input, init)
    seen = request.headers.get('payment-signature') ?? seen
    return fetch(request)
  }
  shop.desk.during = () => {
    const { eip2612GasSponsoring } = openPayment(seen).extensions as {
      eip2612GasSponsoring: { info: Record<'amount' | 'deadline', string> & { signature: `0x${string}` } }
    }
    const { amount, deadline, signature } = eip2612GasSponsoring.info
    const { r, s, v } = parseSignature(signature)
    const args = [payer.address, CONTRACTS.permit2, BigInt(amount), BigInt(deadline), Number(v), r, s]
    return shop.callUsdc(STRANGER, 'permit', args)
  }
  const before = await shop.balanceOf(payer.address)
  const response = await client.over(spying)(`${shop.seller.url}${METERED}`)
  assert.equal(response.status, 200)
  assert.equal(before - (await shop.balanceOf(payer.address)), METER.least)
})

test('a client that disconnects while its handler runs is not charged and may retry', async () => {
  const payer = await shop.newPayer()
  const payment = await shop.sign(payer, PATH)
  const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  shop.desk.during = ({ signal }) => {
    begun.resolve()
    signal.addEventListener('abort', () => ended.resolve())
    return new Promise(() => {})
  }
  const leaving = new AbortController()
  const left = shop.ask(PATH, payment, { signal: leaving.signal }).catch(() => 'left')
  await begun.promise
  leaving.abort()
  assert.equal(await left, 'left')
  await ended.promise
  shop.desk.during = () => {}
  const before = await shop.balanceOf(payer.address)
  let response = await shop.ask(PATH, payment)
  while (response.status === 409) response = await shop.ask(PATH, payment)
  assert.equal(response.status, 200)
  assert.equal(before - (await shop.balanceOf(payer.address)), CENT)
})

test('a payment that someone else submits before the request is charged once, and its payer gets the answer', async () => {
  const payer = await shop.newPayer()
  const payment = await shop.sign(payer, PATH)
  const before = await shop.balanceOf(payer.address)
  await submit(payment)
  const refused = await shop.ask(PATH, payment)
  assert.equal(refused.status, 403)
  const { extensions } = (await refused.json()) as {
    extensions: { 'sign-in-with-x': { info: Parameters<typeof createSIWxPayload>[0] } }
  }
  const asked = { ...extensions['sign-in-with-x'].info, chainId: BASE.id, type: 'eip191' } as const
  const signed = await createSIWxPayload(asked, privateKeyToAccount(payer.key), asked.uri)
  const response = await shop.ask(PATH, payment, { headers: { 'sign-in-with-x': encodeSIWxHeader(signed) } })
  assert.equal(response.status, 200)
  assert.equal(receiptOf(response)?.success, true)
  assert.equal(shop.desk.runs, 1)
  assert.equal(before - (await shop.balanceOf(payer.address)), CENT)
})
