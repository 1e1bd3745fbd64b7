import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { type DevChain, startDevChain } from '@tollbook/devchain/dev-chain'
import { type HostileFacilitator, startHostileFacilitator } from '@tollbook/devchain/hostile-facilitator'
import { FRAMEWORKS, type FrameworkServer } from '@tollbook/testing/frameworks/servers'
import { FIVE_EVENTS, Worker } from '@tollbook/testing/frameworks/work'
import { decodePaymentRequiredHeader, encodePaymentSignatureHeader } from '@x402/core/http'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { UptoEvmScheme } from '@x402/evm/upto/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { Mppx } from 'mppx/client'
import { evm } from 'mppx/evm/client'
import { createWalletClient, http, parseAbi } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { base } from 'viem/chains'
import { wrapFetchWithPayment as payByVersionOne } from 'x402-fetch'
import { createGate } from '../seller/create-gate.ts'
import type { SellerGate } from '../seller/seller-gate.ts'

const CENT = 10_000n
let chain: DevChain
let facilitator: HostileFacilitator
let folder: string
let sellers = 0

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tollbook-frameworks-'))
  chain = await startDevChain()
  facilitator = await startHostileFacilitator({ mode: 'honest', chain })
  const wallet = createWalletClient({
    account: privateKeyToAccount(chain.accounts[0].privateKey),
    chain: base,
    transport: http(chain.rpcUrl),
  })
  const { usdc, permit2 } = chain.contracts
  await wallet.writeContractSync({
    address: usdc,
    abi: parseAbi(['function approve(address spender, uint256 amount) returns (bool)']),
    functionName: 'approve',
    args: [permit2, 1_000_000n],
  })
})
after(async () => {
  await facilitator.close()
  await chain.close()
  rmSync(folder, { recursive: true, force: true })
})

for (const [framework, start] of Object.entries(FRAMEWORKS))
  suite(framework, () => {
    let gate: SellerGate
    let server: FrameworkServer
    let payTo: `0x${string}`
    const worker = new Worker()

    before(async () => {
      sellers += 1
      payTo = `0x${sellers.toString(16).padStart(40, '5')}`
      gate = await createGate({
        payTo,
        network: 'eip155:8453',
        rpcUrl: chain.rpcUrl,
        facilitator: facilitator.url,
        store: `sqlite:${join(folder, framework)}.sqlite`,
        limits: { freeBytes: 0 },
        logger: { debug() {}, info() {}, warn() {}, error() {} },
      })
      server = await start(gate, worker)
    })
    after(async () => {
      await server.close()
      await gate.close()
    })

    const account = () => privateKeyToAccount(chain.accounts[0].privateKey)
    const client = () =>
      new x402Client()
        .register('eip155:8453', new ExactEvmScheme(account()))
        .register('eip155:8453', new UptoEvmScheme(account()))
    const stock = (path: string, init?: RequestInit) =>
      wrapFetchWithPayment(fetch, client())(`${server.url}${path}`, init)
    const earned = () => chain.usdcOf(payTo)

    /** The headers of a payment for a path, which can be sent often. */
    async function sign(path: string, method = 'GET'): Promise<Record<string, string>> {
      const unpaid = await fetch(`${server.url}${path}`, { method })
      assert.equal(unpaid.status, 402)
      await unpaid.body?.cancel()
      const required = decodePaymentRequiredHeader(unpaid.headers.get('payment-required') ?? '')
      return {
        'payment-signature': encodePaymentSignatureHeader(await client().createPaymentPayload(required)),
      }
    }
    const get = (path: string, headers: Record<string, string> = {}) =>
      fetch(`${server.url}${path}`, { headers })

    test('the stock client of version 2 pays, and its payment gets the same answer again', async () => {
      const before = await earned()
      const paid = await sign('/word/hello')
      const first = await get('/word/hello', paid)
      const body = await first.text()
      assert.equal(first.status, 200)
      assert.equal(first.headers.get('x-own'), 'yes')
      assert.equal(JSON.parse(body).word, 'hello')
      const again = await get('/word/hello', paid)
      assert.equal(await again.text(), body)
      assert.equal(worker.runsOf('word'), 1)
      const bought = await stock('/word/bye')
      assert.equal(((await bought.json()) as { word: string }).word, 'bye')
      assert.equal((await earned()) - before, 2n * CENT)
    })

    test('the stock clients of version 1 and of MPP pay', async () => {
      const before = await earned()
      const wallet = createWalletClient({ account: account(), chain: base, transport: http(chain.rpcUrl) })
      const first = await payByVersionOne(fetch, wallet)(`${server.url}/word/one`)
      assert.equal(((await first.json()) as { word: string }).word, 'one')
      const methods = [evm.charge({ account: account(), currencies: [evm.assets.base.USDC] })]
      const mppx = Mppx.create({ methods, fetch: withoutX402, polyfill: false })
      const second = await mppx.fetch(`${server.url}/word/two`)
      assert.equal(((await second.json()) as { word: string }).word, 'two')
      assert.equal((await earned()) - before, 2n * CENT)
    })

    test('16 copies of a payment at once run the handler once and are charged once', async () => {
      const before = await earned()
      const runs = worker.runsOf('word')
      const paid = await sign('/word/copies')
      const answers = await Promise.all(
        Array.from({ length: 16 }, async () => {
          const response = await get('/word/copies', paid)
          return { status: response.status, body: await response.text() }
        }),
      )
      assert.deepEqual(
        answers.filter(({ status }) => status !== 200 && status !== 409),
        [],
      )
      const bodies = new Set(answers.filter(({ status }) => status === 200).map(({ body }) => body))
      assert.equal(bodies.size, 1)
      assert.equal(await (await get('/word/copies', paid)).text(), [...bodies][0])
      assert.equal(worker.runsOf('word') - runs, 1)
      assert.equal((await earned()) - before, CENT)
    })

    test('a body reaches the handler whole, and the payment buys no other body', async () => {
      const body = JSON.stringify({ text: 'a'.repeat(100_000) })
      const headers = { 'content-type': 'application/json' }
      const paid = { ...headers, ...(await sign('/echo', 'POST')) }
      const bought = await fetch(`${server.url}/echo`, { method: 'POST', body, headers: paid })
      assert.equal(bought.status, 201)
      assert.equal(await bought.text(), body)
      const other = await fetch(`${server.url}/echo`, { method: 'POST', body: '{}', headers: paid })
      // Only its payer may learn what a payment has bought.
      assert.equal(other.status, 403)
      assert.equal(worker.runsOf('echo'), 1)
      await other.body?.cancel()
    })

    test('a handler that throws, or that finds nothing, is not charged', async () => {
      const before = await earned()
      const failed = await stock('/throws')
      assert.equal(failed.status, 500)
      await failed.text()
      const missing = await stock('/missing')
      assert.equal(missing.status, 404)
      assert.deepEqual(await missing.json(), { found: false })
      assert.equal(await earned(), before)
    })

    test('a stream arrives whole, and again with the same payment', async () => {
      const paid = await sign('/stream')
      const first = await get('/stream', paid)
      assert.equal(first.headers.get('content-type'), 'text/event-stream')
      assert.equal(await first.text(), FIVE_EVENTS)
      assert.equal(await (await get('/stream', paid)).text(), FIVE_EVENTS)
      assert.equal(worker.runsOf('stream'), 1)
    })

    test('two megabytes arrive whole', async () => {
      const bytes = Buffer.from(await (await stock('/large')).arrayBuffer())
      assert.ok(bytes.equals(Buffer.alloc(2_000_000, 7)))
    })

    test('a client that leaves is not charged, and gets its answer with the same payment', async () => {
      const before = await earned()
      const { promise, resolve } = Promise.withResolvers<void>()
      worker.slowness = promise
      const paid = await sign('/slow')
      const leaving = new AbortController()
      const left = fetch(`${server.url}/slow`, { headers: paid, signal: leaving.signal })
      while (worker.runsOf('slow') === 0) await new Promise((next) => setTimeout(next, 5))
      leaving.abort()
      await assert.rejects(left)
      assert.equal(await earned(), before)
      resolve()
      let answer = await get('/slow', paid)
      // The gate may still be busy with the run that was left.
      while (answer.status === 409) {
        await answer.body?.cancel()
        await new Promise((next) => setTimeout(next, 50))
        answer = await get('/slow', paid)
      }
      assert.equal(await answer.text(), '"slow"')
      assert.equal((await earned()) - before, CENT)
    })

    test('a handler that takes too long is not charged, and its late answer harms nobody', async () => {
      const before = await earned()
      const response = await stock('/late')
      assert.equal(response.status, 504)
      await response.text()
      await new Promise((resolve) => setTimeout(resolve, 1_000))
      assert.equal((await get('/late')).status, 402)
      assert.equal(await earned(), before)
    })

    test('a metered handler is charged what it says', async () => {
      const before = await earned()
      const bought = await stock('/metered')
      assert.equal(bought.status, 200)
      assert.equal(await bought.text(), '"metered"')
      assert.equal((await earned()) - before, 3_100n)
    })

    test('HEAD shows the price and runs nothing, whatever it carries', async () => {
      const runs = worker.runsOf('word')
      const paid = await sign('/word/head')
      const response = await fetch(`${server.url}/word/head`, { method: 'HEAD', headers: paid })
      assert.equal(response.status, 402)
      assert.notEqual(response.headers.get('payment-required'), null)
      assert.equal(worker.runsOf('word'), runs)
    })
  })

const withoutX402: typeof fetch = async (input, init) => {
  const response = await fetch(input, init)
  const headers = new Headers(response.headers)
  headers.delete('payment-required')
  return new Response(response.body, { status: response.status, headers })
}
