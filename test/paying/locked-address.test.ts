import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { json } from '@tollbook/endpoints/answer'
import { defineEndpoint } from '@tollbook/endpoints/endpoint'
import { ProblemError } from '@tollbook/http/problem'
import { openShop, type Shop } from '@tollbook/testing/paying/shop'
import * as z from 'zod'

const LIMIT = 10 * 1024 * 1024
const SHARED = {
  method: 'POST',
  effect: 'none',
  pricing: { kind: 'exact', priceUsd: '0.001' },
  summary: 'Measure a text',
  description: 'The length of a text.',
  output: z.object({ length: z.int() }),
  example: { input: { text: 'toll' }, output: { length: 4 } },
  limits: { bodyBytes: 14_100_000, timeoutMs: 20_000 },
} as const

/** Refuses a text that is too long once it is read, as an image in base64 is. */
const measure = defineEndpoint({
  ...SHARED,
  id: 'test.measure',
  path: '/test/measure',
  input: z.object({ text: z.string() }),
  check: ({ text }: { readonly text: string }) =>
    text.length > LIMIT ? [{ parameter: 'text', detail: 'is too long', code: 'too_large' }] : [],
  handle: ({ input }) => json({ length: input.text.length }),
})

/** A store that is full. */
const keep = defineEndpoint({
  ...SHARED,
  id: 'test.keep',
  path: '/test/keep',
  input: z.object({ text: z.string() }),
  handle: () => {
    throw new ProblemError({ code: 'quota_exceeded', detail: 'The store is full.' })
  },
})

let shop: Shop
before(async () => {
  // The default of an operator.
  const settings = { TOLLBOOK_UNPAID_PER_MINUTE: '600' }
  shop = await openShop({ endpoints: [measure, keep], ports: {}, settings })
})
after(() => shop.close())

const post = (path: string, text: string) =>
  [
    `${shop.seller.url}${path}`,
    {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ text }),
    },
  ] as const

test('a refused upload and a full store do not stop the paid calls of their address', async (t) => {
  // Budgets are filled by the clock, which stands still here, however long the machine takes.
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() })
  const paying = shop.stockClient(await shop.newPayer()).over(fetch)
  const others = shop.stockClient(await shop.newPayer()).over(fetch)
  // 10 MB and one byte are 641 tokens of 600; 15 MB of rows are more than are owed at most.
  const upload = await paying(...post('/test/measure', 'a'.repeat(LIMIT + 1)))
  assert.equal(upload.status, 413)
  const full = await paying(...post('/test/keep', 'a'.repeat(14_000_000)))
  assert.equal(full.status, 507)
  // What is free stays limited.
  assert.equal((await fetch(`${shop.seller.url}/openapi.json`)).status, 429)
  for (let call = 0; call < 10; call += 1)
    for (const client of [paying, others]) {
      const answer = await client(...post('/test/measure', 'toll'))
      assert.equal(answer.status, 200, `call ${call}: ${await answer.clone().text()}`)
    }
})
