import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { CENT } from '@tollbook/testing/paying/desk'
import { type Customer, openShop, receiptOf, type Shop } from '@tollbook/testing/paying/shop'

const PAYERS = 16
const PAYMENTS = 300

let shop: Shop
const payers: Customer[] = []
before(async () => {
  shop = await openShop()
  // Sequentially, because one wallet mints for all.
  for (let count = 0; count < PAYERS; count += 1) payers.push(await shop.newPayer())
})
after(() => shop?.close())

test(`${PAYMENTS} concurrent payments of sixteen payers all settle, each once`, async () => {
  // Exact payments may share a transaction; each upto payment takes one of its own.
  await Promise.all(payers.filter((_, at) => at % 4 === 3).map(shop.allowPermit2))
  shop.desk.charge = 3_000n
  const kinds = [
    { path: '/test/good', price: CENT },
    { path: '/test/meter', price: 3_000n },
  ] as const
  let left = PAYMENTS
  const receipts: ReturnType<typeof receiptOf>[] = []
  const failures: string[] = []

  async function keepBuying(payer: Customer, at: number): Promise<void> {
    const buy = shop.stockClient(payer).over(fetch)
    const { path } = kinds[at % 4 === 3 ? 1 : 0]
    while (left > 0) {
      left -= 1
      const response = await buy(`${shop.seller.url}${path}?word=${left}`)
      const text = await response.text()
      if (response.status === 200) receipts.push(receiptOf(response))
      else failures.push(`${response.status} ${text}`)
    }
  }
  await Promise.all(payers.map(keepBuying))

  assert.deepEqual(failures, [])
  assert.equal(receipts.length, PAYMENTS)
  assert.ok(receipts.every((receipt) => receipt?.success))
  assert.equal(new Set(receipts.map((receipt) => receipt?.extra?.receipt)).size, PAYMENTS)
  assert.equal(shop.desk.runs, PAYMENTS)
  const prices = receipts.map((receipt) => BigInt(receipt?.amount ?? 0))
  assert.ok(prices.every((price) => kinds.some((kind) => kind.price === price)))
  const due = prices.reduce((sum, price) => sum + price, 0n)
  assert.equal(await shop.earned(), due)
  const purses = await Promise.all(payers.map(({ address }) => shop.balanceOf(address)))
  // Each payer starts with one dollar.
  assert.equal(
    purses.reduce((sum, purse) => sum + purse, 0n),
    1_000_000n * BigInt(PAYERS) - due,
  )
})
