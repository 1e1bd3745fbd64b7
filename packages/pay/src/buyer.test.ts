import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { devFacilitatorKey } from '@tollbook/chain/dev-accounts'
import type { ChainFinding } from '@tollbook/gate/facilitator'
import { exactTerms } from '@tollbook/testing/payments/offered-payment'
import { temporaryFolder } from '@tollbook/testing/temporary-folder'
import { encodePaymentRequiredHeader } from '@x402/core/http'
import { Buyer } from './buyer.ts'
import type { Purchase } from './purchase.ts'
import { openSpendingLog } from './spending-log.ts'

const PRICE = 10_000n
const REQUIRED = encodePaymentRequiredHeader({
  x402Version: 2,
  resource: { url: 'http://127.0.0.1/', description: 'a test', mimeType: 'application/json' },
  accepts: [exactTerms(String(PRICE)) as never],
})
const signal = new AbortController().signal

type Seller = {
  readonly buyer: Buyer
  /** The payment of each request that had one. */
  readonly seen: readonly string[]
  /** Buys, reads the whole answer, and passes it on. */
  buy(leaving?: AbortSignal): Promise<string | number>
}

/** A seller that answers the first paid request by the first function, and so on; more by the last. */
async function openSeller(
  t: TestContext,
  answers: readonly ((response: ServerResponse) => unknown)[],
  finding: ChainFinding = { found: 'open' },
): Promise<Seller> {
  const seen: string[] = []
  const server = createServer(({ headers }, response) => {
    const payment = headers['payment-signature'] as string | undefined
    if (payment === undefined) return void response.writeHead(402, { 'payment-required': REQUIRED }).end()
    seen.push(payment)
    answers[Math.min(seen.length, answers.length) - 1]?.(response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const log = openSpendingLog(join(temporaryFolder('spending'), 'spending.sqlite'))
  t.after(() => {
    server.closeAllConnections()
    server.close()
    log.close()
  })
  const buyer = new Buyer({
    log,
    chain: { findSettlement: async () => finding },
    key: devFacilitatorKey,
    rpcUrl: 'http://127.0.0.1:1',
    budget: 10n * PRICE,
    max: PRICE,
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const read = async (purchase: Purchase, leaving?: AbortSignal) => {
    if (purchase.kind === 'refused') return purchase.problem.code
    const text = await purchase.response.text()
    await purchase.close(true, leaving)
    return text || purchase.response.status
  }
  return {
    buyer,
    seen,
    buy: async (leaving) =>
      read(await buyer.buy({ url, method: 'GET', headers: new Headers() }, { signal }), leaving),
  }
}

const cut = (response: ServerResponse) => response.destroy()
const sold = (response: ServerResponse) => response.setHeader('content-type', 'text/plain').end('sold')
const page = (status: number) => (response: ServerResponse) =>
  response.writeHead(status, { 'content-type': 'text/html; charset=utf-8' }).end('sign in')

test('a page of a firewall or of a sign-in does not use up a payment whose answer was lost', async (t) => {
  const { buy, seen } = await openSeller(t, [cut, page(403), page(200), sold])
  assert.equal(await buy(), 'sign in')
  assert.equal(await buy(), 'sign in')
  assert.equal(await buy(), 'sold')
  assert.deepEqual([seen.length, new Set(seen).size], [4, 1])
  assert.equal(await buy(), 'sold')
  assert.equal(new Set(seen).size, 2)
})

test('an answer that its reader did not wait for is sent again with the same payment', async (t) => {
  const { buy, seen } = await openSeller(t, [sold])
  assert.equal(await buy(AbortSignal.abort()), 'sold')
  assert.equal(await buy(), 'sold')
  assert.equal(new Set(seen).size, 1)
  assert.equal(await buy(), 'sold')
  assert.equal(new Set(seen).size, 2)
})

test('a payment that no refusal has ended is used until its end is final on the chain', async (t) => {
  const { buy, seen } = await openSeller(t, [(response) => response.writeHead(503).end()])
  assert.equal(await buy(), 503)
  // The node has stopped before the end of the payment, or this machine's clock is wrong.
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 3_600_000 })
  assert.equal(await buy(), 503)
  assert.equal(new Set(seen).size, 1)
})

test('a payment that the payer has cancelled makes room in the budget', async (t) => {
  const { buyer, buy } = await openSeller(t, [page(200)], { found: 'cancelled', isFinal: true })
  await buy()
  assert.deepEqual(buyer.totals(), { spent: 0n, open: PRICE })
  await buyer.reconcile()
  assert.deepEqual(buyer.totals(), { spent: 0n, open: 0n })
})
