import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { openShop } from '@tollbook/testing/paying/shop'
import { exactTerms } from '@tollbook/testing/payments/offered-payment'
import { encodePaymentRequiredHeader } from '@x402/core/http'
import { openProxy } from './open-proxy.ts'

const REQUIRED = encodePaymentRequiredHeader({
  x402Version: 2,
  resource: { url: 'http://127.0.0.1/', description: 'a test', mimeType: 'application/json' },
  accepts: [exactTerms('10000') as never],
})
const HASH = `0x${'22'.repeat(32)}`

/** A proxy to a seller whose answers name this transaction. */
async function openBuying(t: TestContext, { transaction, onPaid }: { transaction: unknown; onPaid(): void }) {
  const receipt = Buffer.from(JSON.stringify({ success: true, transaction })).toString('base64')
  const seller = createServer(({ headers }, response) => {
    if (headers['payment-signature'] === undefined)
      return void response.writeHead(402, { 'payment-required': REQUIRED }).end()
    onPaid()
    response.writeHead(200, { 'payment-response': receipt }).end('sold')
  }).listen(0, '127.0.0.1')
  await once(seller, 'listening')
  const shop = await openShop()
  const proxy = await openProxy(shop, {
    to: `http://127.0.0.1:${(seller.address() as AddressInfo).port}`,
  })
  t.after(async () => {
    await proxy.close()
    seller.closeAllConnections()
    seller.close()
    await shop.close()
  })
  return proxy
}

test('a paid answer is returned although the spending log cannot be written any more', async (t) => {
  const fill = () => {
    const database = new DatabaseSync(proxy.logPath)
    for (const change of ['insert', 'update'])
      database.exec(
        `create trigger full_${change} before ${change} on payment begin select raise(fail, 'disk is full'); end`,
      )
    database.close()
  }
  const proxy = await openBuying(t, { transaction: HASH, onPaid: fill })
  assert.equal(await (await fetch(proxy.url)).text(), 'sold')
  assert.deepEqual(proxy.buyer.totals(), { spent: 0n, open: 10_000n })
  const next = await fetch(`${proxy.url}/next`)
  assert.equal(next.status, 402)
  assert.match(((await next.json()) as { detail: string }).detail, /^Not paid: disk is full/)
})

test('a receipt whose transaction is a list loses no answer', async (t) => {
  const proxy = await openBuying(t, { transaction: [HASH], onPaid: () => {} })
  assert.equal(await (await fetch(proxy.url)).text(), 'sold')
  assert.deepEqual(proxy.buyer.totals(), { spent: 0n, open: 10_000n })
})
