import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { json } from '@tollbook/endpoints/answer'
import { defineEndpoint } from '@tollbook/endpoints/endpoint'
import { CENT, createDesk } from '@tollbook/testing/paying/desk'
import { type Customer, openShop, type Shop } from '@tollbook/testing/paying/shop'
import type { Browser, Page } from 'playwright-core'
import * as z from 'zod'
import { findChromium } from './chromium.ts'
import { drivePage } from './drive-page.ts'
import { findViolations } from './find-violations.ts'
import { type ScriptedWallet, startPayingBrowser, untouched } from './scripted-wallet.ts'

const executable = findChromium()
const skip = executable === null ? 'no Chromium on this machine; apt-get install chromium' : false
const GOOD = '/test/good?word=toll'

/** Takes any parameter, as the conditions of the store. */
const rows = defineEndpoint({
  id: 'test.rows',
  method: 'GET',
  path: '/test/rows',
  summary: 'Rows',
  description: 'Reads rows that meet conditions.',
  pricing: { kind: 'exact', priceUsd: '0.01' },
  input: z.object({ limit: z.coerce.number().optional() }).catchall(z.unknown()),
  takesParameter: (name) => name.startsWith('where.'),
  output: z.looseObject({}),
  example: { input: { limit: 1 }, output: {} },
  limits: { bodyBytes: 1024, timeoutMs: 20_000 },
  handle: ({ input }) => json({ input: JSON.stringify(input) }),
})

const desk = createDesk()
let shop: Shop
let payer: Customer
let browser: Browser
let page: Page
let driver: ReturnType<typeof drivePage>
let wallet: ScriptedWallet

before(async () => {
  shop = await openShop({ endpoints: [...desk.endpoints, rows] })
  if (executable === null) return
  ;({ browser, page, payer, wallet } = await startPayingBrowser(executable, shop))
  driver = drivePage(page, shop.seller.url)
})
beforeEach(() => {
  Object.assign(wallet ?? {}, untouched(payer))
})
after(async () => {
  await browser?.close()
  await shop?.close()
})

/**
 * Pays until the page announces that it keeps the payment. The service receives the request once, but every answer is
 * replaced by the given one.
 */
async function payAndLose(
  path: string,
  answer: { readonly status: number; readonly body: string },
  pay: () => Promise<void> = driver.pay,
): Promise<void> {
  let lost = 0
  await page.route(`**${path}*`, async (route) => {
    const { 'payment-signature': payment } = route.request().headers()
    if (!payment) return route.continue()
    if (lost === 0) await route.fetch()
    lost += 1
    await route.fulfill({ ...answer, contentType: 'text/html' })
  })
  await pay()
  await driver.untilAnnounced('charged at most once')
  await page.unroute(`**${path}*`)
}

/** Pays again, and gets the answer. */
async function payAgain(): Promise<void> {
  await driver.pay()
  await driver.untilAnswered()
}

test('an answer that a proxy replaces by its own error is fetched again with the same payment', {
  skip,
}, async () => {
  await driver.open(GOOD)
  const earned = await shop.earnedBy(async () => {
    await payAndLose('/test/good', { status: 404, body: '<h1>no such host</h1>' })
    await payAgain()
  })
  assert.equal(earned, CENT)
})

test('a payment that was made with another secret is not paid again, and gets its answer', {
  skip,
}, async () => {
  await driver.open('/test/login')
  const enter = async (token: string) => {
    await page.getByLabel('auth_token').fill(token)
    await page.getByLabel('ct0').fill('half')
    await driver.pay()
  }
  const earned = await shop.earnedBy(async () => {
    await payAndLose('/test/login', { status: 502, body: '' }, () => enter('first'))
    await enter('second')
    await driver.untilAnnounced(/^A payment with another secret or file is stored/)
    await enter('first')
    await driver.untilAnswered()
  })
  assert.equal(earned, CENT)
})

test('a call with two conditions of one name gets its answer after a reload', { skip }, async () => {
  await driver.open('/test/rows?where.tag=a&where.tag=b')
  const earned = await shop.earnedBy(async () => {
    await payAndLose('/test/rows', { status: 502, body: '' })
    await page.reload()
    await driver.untilAnswered()
  })
  assert.equal(earned, CENT)
  assert.match((await page.locator('#content').textContent()) ?? '', /"a\W+b\W/)
})

test('the sign-in page of a network is not the answer of a paid call', { skip }, async () => {
  await driver.open(GOOD)
  const earned = await shop.earnedBy(async () => {
    await payAndLose('/test/good', { status: 200, body: '<h1>Sign in</h1>' })
    await payAgain()
  })
  assert.equal(earned, CENT)
})

test('a late signature does not replace a payment that was stored meanwhile', { skip }, async () => {
  await driver.open(GOOD)
  const earned = await shop.earnedBy(async () => {
    await payAndLose('/test/good', { status: 502, body: '' })
    const stored = await page.evaluate<Record<string, string>>('({ ...sessionStorage })')
    await page.evaluate('sessionStorage.clear()')
    wallet.account = {
      ...payer,
      async signTypedData(data: never) {
        await page.evaluate(`Object.assign(sessionStorage, ${JSON.stringify(stored)})`)
        return payer.signTypedData(data)
      },
    } as Customer
    await payAgain()
  })
  assert.equal(earned, CENT)
})

test('a wallet that cannot read the balance is named', { skip }, async () => {
  await driver.open(GOOD)
  await page.evaluate(`{
    const request = requestScriptedWallet
    requestScriptedWallet = (method, params) => method === 'eth_call' ? { result: '0x' } : request(method, params)
  }`)
  await driver.pay()
  await driver.untilAnnounced(/wallet<\/b> cannot read its balance of USDC\..* Nothing was paid\.$/)
})

test('a person stops waiting for a wallet: what it answers later asks and pays nothing, and another payment pays once', {
  skip,
}, async () => {
  const earned = await shop.earnedBy(async () => {
    for (const method of ['eth_requestAccounts', 'eth_signTypedData_v4']) {
      const [asked, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      wallet.during = (each) => {
        if (each !== method) return
        asked.resolve()
        return held.promise
      }
      await driver.open(GOOD)
      const before = wallet.requested.length
      await driver.pay()
      await asked.promise
      await driver.untilAnnounced('Waiting for Scripted <b>wallet</b>.')
      assert.deepEqual(await findViolations(page), [])
      await page.getByRole('button', { name: 'Stop waiting' }).click()
      await driver.untilAnnounced('You stopped waiting. What Scripted <b>wallet</b> signs now is not sent.')
      assert.equal(await page.getByRole('button', { name: 'Stop waiting' }).count(), 0)
      held.resolve()
      await page.waitForFunction((name) => Object(globalThis).scriptedAnswers.includes(name), method)
      assert.equal(wallet.requested.slice(before).at(-1), method)
      assert.equal(await page.evaluate('sessionStorage.length'), 0)
      await page.reload()
      assert.equal(await page.getByRole('status').textContent(), '')
    }
    wallet.during = () => {}
    await driver.pay()
    await driver.untilAnswered()
  })
  assert.equal(earned, CENT)
})
