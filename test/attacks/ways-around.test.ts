import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { CONTRACTS } from '@tollbook/chain/contracts'
import { devMulticall3Abi, devUptoProxyAbi, devUsdcAbi } from '@tollbook/devchain/contracts/abis'
import { CENT } from '@tollbook/testing/paying/desk'
import {
  type Customer,
  closePayment,
  openPayment,
  openShop,
  receiptOf,
  refusalOf,
  type Shop,
} from '@tollbook/testing/paying/shop'
import { decodeFunctionData, type Hex, serializeSignature } from 'viem'
import { pathSpellings } from './path-spellings.ts'
import { sendBytes, sendRaw } from './raw-http.ts'

const PATH = '/test/good?word=hi'

let shop: Shop
let payer: Customer
before(async () => {
  shop = await openShop()
  payer = await shop.newPayer()
  await shop.allowPermit2(payer)
})
beforeEach(() => {
  Object.assign(shop.desk, { runs: 0, during: () => {}, charge: 0n })
})
after(() => shop?.close())

test('HEAD gets the same 402 as GET, and runs no handler even with a payment', async () => {
  const payment = await shop.sign(payer, PATH)
  const before = await shop.balanceOf(payer.address)
  for (const headers of [{}, { 'payment-signature': payment }]) {
    for (const path of [PATH, '/test/items/a']) {
      const response = await sendRaw(shop.seller.url, { method: 'HEAD', path, headers })
      assert.equal(response.status, 402)
      assert.ok(response.headers.get('payment-required'))
      assert.equal(await response.text(), '')
    }
  }
  assert.equal(shop.desk.runs, 0)
  assert.equal(await shop.balanceOf(payer.address), before)
  assert.equal((await shop.ask(PATH, payment)).status, 200, 'HEAD used nothing up')
})

test('no spelling of a path reaches a handler without payment', async () => {
  const paths = pathSpellings(shop.seller.url)
  for (const path of paths) {
    for (const query of ['', '?word=hi', '?word=hi&payment-signature=x', '?%77ord=hi']) {
      const ask = (method: string) => sendRaw(shop.seller.url, { method, path: `${path}${query}` })
      const [read, posted] = await Promise.all([ask('GET'), ask('POST')])
      for (const response of [read, posted]) {
        assert.ok([400, 402, 404, 405].includes(response.status), `${path}${query}: ${response.status}`)
        await refusalOf(response)
      }
      // Malformed HTTP is rejected before it is recognised as a HEAD.
      if (read.status !== 400) assert.equal((await ask('HEAD')).status, read.status, `${path}${query}`)
    }
  }
  assert.equal(shop.desk.runs, 0)
})

test('headers that name another path or method are ignored', async () => {
  const asking: Record<string, string>[] = [
    { 'x-original-url': '/healthz' },
    { 'x-rewrite-url': '/healthz' },
    { 'x-http-method-override': 'OPTIONS' },
    { 'x-method-override': 'HEAD' },
    { 'x-forwarded-prefix': '/free' },
    { 'x-forwarded-host': 'localhost', 'x-forwarded-proto': 'https', forwarded: 'host=localhost' },
    { 'x-middleware-subrequest': 'middleware' },
    { authorization: 'Bearer paid', cookie: 'paid=true', 'x-paid': 'true' },
    { 'payment-response': closePayment({ success: true, transaction: `0x${'11'.repeat(32)}` }) },
    { 'x-payment-verified': 'true', 'x-payment-payer': payer.address },
    { 'settlement-overrides': '{"amount":"0"}' },
    { upgrade: 'h2c', connection: 'upgrade' },
  ]
  for (const headers of asking) {
    const response = await sendRaw(shop.seller.url, { path: PATH, headers })
    assert.equal(response.status, 402, JSON.stringify(headers))
    assert.equal(await refusalOf(response), 'payment_required')
  }
  for (const method of ['OPTIONS', 'TRACE', 'PUT', 'DELETE', 'PATCH', 'PROPFIND', 'PURGE']) {
    const { status } = await sendRaw(shop.seller.url, { method, path: PATH })
    assert.equal(status, method === 'OPTIONS' ? 204 : 405, method)
  }
  assert.equal(shop.desk.runs, 0)
})

test('the host that a client sends appears in no offer', async () => {
  for (const host of ['evil.example', 'evil.example:80', 'localhost', '127.0.0.1.evil.example']) {
    const text = await sendBytes(
      shop.seller.url,
      `GET ${PATH} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
    )
    assert.match(text, /^HTTP\/1\.1 402/)
    const header = /^payment-required: (\S+)/im.exec(text)?.[1] ?? ''
    assert.equal(
      JSON.parse(Buffer.from(header, 'base64').toString()).resource.url,
      `${shop.seller.url}/test/good`,
    )
    assert.ok(!text.includes('evil.example'))
  }
})

test('a client cannot set its own charge', async () => {
  shop.desk.charge = 5_000n
  const path = '/test/meter?word=hi'
  for (const overrides of ['{"amount":"0"}', '{"amount":"1"}', '{"amount":"0%"}', '{"amount":"$0"}']) {
    const before = await shop.balanceOf(payer.address)
    const response = await shop.ask(path, await shop.sign(payer, path), {
      headers: { 'settlement-overrides': overrides, 'x-settlement-overrides': overrides },
    })
    assert.equal(response.status, 200)
    assert.equal(response.headers.get('settlement-overrides'), null)
    assert.equal(before - (await shop.balanceOf(payer.address)), 5_000n)
  }
})

test('no cache may store a challenge, an error or a paid answer, nor serve one for another payment', async () => {
  const payment = await shop.sign(payer, PATH)
  const responses = [
    await shop.ask(PATH),
    await shop.ask(PATH, 'nonsense'),
    await shop.ask(PATH, payment),
    await shop.ask(PATH, payment),
    await shop.ask('/test/twin?word=hi', payment),
    await sendRaw(shop.seller.url, { method: 'HEAD', path: PATH }),
  ]
  assert.deepEqual(
    responses.map(({ status }) => status),
    [402, 400, 200, 200, 402, 402],
  )
  for (const { headers, status } of responses) {
    assert.match(headers.get('cache-control') ?? '', /no-store/, `${status}`)
    assert.match(headers.get('vary') ?? '', /payment-signature/i, `${status}`)
    assert.equal(headers.get('etag'), null)
    assert.equal(headers.get('last-modified'), null)
  }
  for (const [name, value] of [
    ['if-none-match', '*'],
    ['if-modified-since', new Date().toUTCString()],
    ['range', 'bytes=0-5'],
  ] as const) {
    const response = await shop.ask(PATH, undefined, { headers: { [name]: value } })
    assert.equal(response.status, 402, name)
  }
})

test('a client whose receipt was stripped in transit gets it again, and pays once', async () => {
  const client = shop.stockClient(payer)
  const sent: string[] = []
  const stripping: typeof fetch = async (input, init) => {
    const request = new Request(input, init)
    const payment = request.headers.get('payment-signature')
    if (payment) sent.push(payment)
    const response = await fetch(request)
    const headers = new Headers(response.headers)
    headers.delete('payment-response')
    return new Response(await response.text(), { status: response.status, headers })
  }
  const before = await shop.balanceOf(payer.address)
  const stripped = await client.over(stripping)(`${shop.seller.url}${PATH}`)
  assert.equal(stripped.status, 200)
  const again = await shop.ask(PATH, sent[0])
  assert.equal(await again.text(), await stripped.text())
  assert.equal(receiptOf(again)?.success, true)
  assert.equal(before - (await shop.balanceOf(payer.address)), CENT)
  assert.equal(shop.desk.runs, 1)
})

test('a request whose payment was stripped in transit gets another 402 and no answer', async () => {
  const client = shop.stockClient(payer)
  const stripping: typeof fetch = (input, init) => {
    const request = new Request(input, init)
    request.headers.delete('payment-signature')
    return fetch(request)
  }
  const before = await shop.balanceOf(payer.address)
  assert.equal((await client.over(stripping)(`${shop.seller.url}${PATH}`)).status, 402)
  assert.equal(client.signatures(), 1)
  assert.equal(await shop.balanceOf(payer.address), before)
  assert.equal(shop.desk.runs, 0)
})

/** Builds the payment header of an exact payment solely from its settled transaction and the offer. */
async function rebuildExact(transaction: Hex, path: string): Promise<string> {
  const { to, input } = await shop.chain.getTransaction({ hash: transaction })
  const isBatch = to?.toLowerCase() === CONTRACTS.multicall3.toLowerCase()
  const batch = isBatch ? decodeFunctionData({ abi: devMulticall3Abi, data: input }) : null
  const inner = batch?.functionName === 'tryAggregate' ? batch.args[1][0]?.callData : input
  const { args } = decodeFunctionData({ abi: devUsdcAbi, data: inner ?? '0x' })
  const [from, payTo, value, validAfter, validBefore, nonce, ...signed] = args as [
    ...[Hex, Hex, bigint, bigint, bigint, Hex],
    ...([Hex] | [number, Hex, Hex]),
  ]
  const signature =
    signed.length === 1 ? signed[0] : serializeSignature({ v: BigInt(signed[0]), r: signed[1], s: signed[2] })
  const { accepts, resource } = await shop.challenge(path)
  const texts = { value: `${value}`, validAfter: `${validAfter}`, validBefore: `${validBefore}` }
  return closePayment({
    x402Version: 2,
    resource,
    accepted: accepts[0],
    payload: { signature, authorization: { from, to: payTo, ...texts, nonce } },
  })
}

const transactionOf = (response: Response) => receiptOf(response)?.transaction as Hex

test('a payment reconstructed from the chain does not unlock the answer of a wallet', async () => {
  const path = '/test/diary?word=secret'
  const paid = await shop.ask(path, await shop.sign(payer, path, { identifier: 'known-to-the-payer-1' }))
  assert.equal(paid.status, 200)
  const rebuilt = await rebuildExact(transactionOf(paid), path)
  const guesses = ['known-to-the-payer-2', 'xxxxxxxxxxxxxxxx', '']
  for (const id of guesses) {
    const { extensions } = await shop.challenge(path)
    const offered = extensions['payment-identifier'] as Record<string, unknown>
    const identifier = { 'payment-identifier': { ...offered, info: { required: false, id } } }
    const forged = id === '' ? rebuilt : closePayment({ ...openPayment(rebuilt), extensions: identifier })
    const response = await shop.ask(path, forged)
    assert.equal(response.status, 403)
    assert.equal(response.headers.get('payment-response'), null)
    assert.equal(await refusalOf(response), 'payer_proof_required')
  }
  assert.equal(await refusalOf(await shop.ask('/test/diary?word=other', rebuilt)), 'payer_proof_required')
  assert.equal(shop.desk.runs, 1)
})

test('a payment reconstructed from the chain reveals nothing about a session', async () => {
  const path = '/test/login?auth_token=aaaa&ct0=bbbb'
  const paid = await shop.ask(path, await shop.sign(payer, path))
  assert.equal(paid.status, 200)
  const rebuilt = await rebuildExact(transactionOf(paid), path)
  assert.equal(await refusalOf(await shop.ask(path, rebuilt)), 'payer_proof_required')
  const other = await shop.ask('/test/login?auth_token=aaaa&ct0=cccc', rebuilt)
  assert.equal(await refusalOf(other), 'payer_proof_required')
  assert.equal(shop.desk.runs, 1)
})

test('a reconstructed payment of a public endpoint reads that same answer for a while, and nothing else', async () => {
  const paid = await shop.ask(PATH, await shop.sign(payer, PATH))
  const rebuilt = await rebuildExact(transactionOf(paid), PATH)
  const before = await shop.balanceOf(payer.address)
  const again = await shop.ask(PATH, rebuilt)
  assert.equal(again.status, 200)
  assert.equal(await again.text(), await paid.text())
  assert.equal(await refusalOf(await shop.ask('/test/good?word=ho', rebuilt)), 'payer_proof_required')
  assert.equal(shop.desk.runs, 1)
  assert.equal(await shop.balanceOf(payer.address), before)
})

test('a reconstructed upto payment buys nothing with the unspent part', async () => {
  const path = '/test/meter?word=hi'
  shop.desk.charge = 3_000n
  const payment = await shop.sign(payer, path)
  const paid = await shop.ask(path, payment)
  const { input } = await shop.chain.getTransaction({ hash: transactionOf(paid) })
  const { args } = decodeFunctionData({ abi: devUptoProxyAbi, data: input })
  const signature = args?.at(-1)
  assert.equal(signature, openPayment(payment).payload.signature, 'the signature is public')
  const before = await shop.balanceOf(payer.address)
  assert.equal(await refusalOf(await shop.ask('/test/meter?word=ho', payment)), 'payer_proof_required')
  assert.equal(shop.desk.runs, 1)
  assert.equal(await shop.balanceOf(payer.address), before)
})
