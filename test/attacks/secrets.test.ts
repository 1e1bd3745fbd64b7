import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Customer, openPayment, openShop, type Shop } from '@tollbook/testing/paying/shop'
import { sql } from 'kysely'

const JSON_TYPE = { 'content-type': 'application/json' }

let shop: Shop
let payer: Customer
before(async () => {
  shop = await openShop()
  payer = await shop.newPayer()
})
after(() => shop?.close())

/** Every row of every table, as one text. */
async function storeText(): Promise<string> {
  const { db } = shop.seller.state
  const tables = await sql<{ name: string }>`select name from sqlite_master where type = 'table'`.execute(db)
  const texts: string[] = []
  for (const { name } of tables.rows) {
    const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(name)}`.execute(db)
    const toText = (value: unknown) =>
      value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value
    const plain = rows.map((row) => Object.values(row).map(toText))
    // A transaction that was sent is as public as the chain.
    if (name !== 'signer_transaction') texts.push(JSON.stringify(plain))
  }
  return texts.join('\n')
}

test('credentials and payments appear neither in the log nor in the store nor in any answer', async () => {
  const [token, half] = ['s3cr3t/t0ken+with=signs', 'c5rf-h4lf "quoted"']
  const path = `/test/login?${new URLSearchParams({ auth_token: token, ct0: half })}`
  const payments: string[] = []
  const answers: string[] = []
  const ask = async (from: string, init?: RequestInit) => {
    const payment = await shop.sign(payer, '/test/login')
    payments.push(payment)
    answers.push(await (await shop.ask(from, payment, init)).text())
  }
  await ask(path)
  const posted = {
    method: 'POST',
    headers: JSON_TYPE,
    body: JSON.stringify({ auth_token: token, ct0: half }),
  }
  await ask('/test/login', posted)
  await ask(`${path}&auth_token=${encodeURIComponent(token)}`)
  await ask(path.replace('auth_token', 'auth_tokn'))
  const failures: readonly ((input: { auth_token?: unknown }) => unknown)[] = [
    ({ auth_token }) => new Error(`upstream refused ${auth_token}`),
    ({ auth_token }) => new Error(`GET /session?auth_token=${encodeURIComponent(String(auth_token))}`),
    (input) => new Error(`sent ${JSON.stringify(input)}`),
    ({ auth_token }) => new Error('wrapped', { cause: new Error(`cookie ${auth_token}`) }),
    ({ auth_token }) => Object.assign(new Error('with fields'), { request: { cookie: auth_token } }),
    ({ auth_token }) => `a text with ${auth_token}`,
    ({ auth_token }) => ({ headers: { cookie: `auth_token=${auth_token}` } }),
    ({ auth_token }) => new AggregateError([new Error(`one of ${auth_token}`)], 'several'),
  ]
  for (const toFailure of failures) {
    shop.desk.during = ({ input }) => {
      throw toFailure(input)
    }
    await ask(path)
  }
  assert.equal(shop.desk.runs, 2 + failures.length)

  const secrets = [token, half, 's3cr3t', 'c5rf', encodeURIComponent(token), encodeURIComponent(half)]
  const signatures = payments.map((payment) => openPayment(payment).payload.signature)
  const [log, store] = [shop.seller.logged(), await storeText()]
  assert.ok(log.includes('paid handler failed') && store.includes(payer.address.toLowerCase()))
  for (const hidden of [...secrets, ...payments, ...signatures]) {
    assert.ok(!log.includes(hidden), `the log shows ${hidden.slice(0, 40)}`)
    assert.ok(!store.includes(hidden), `the store holds ${hidden.slice(0, 40)}`)
    assert.ok(!answers.join('\n').includes(hidden), `an answer shows ${hidden.slice(0, 40)}`)
  }
})
