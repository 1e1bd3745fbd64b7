import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { DEV_CLIENT_ADDRESSES } from '@tollbook/chain/dev-accounts'
import { CENT, createDesk } from '@tollbook/testing/paying/desk'
import { type Customer, openShop, type Shop } from '@tollbook/testing/paying/shop'
import { decodePaymentRequiredHeader } from '@x402/core/http'
import type { Browser, Page } from 'playwright-core'
import { findChromium } from './chromium.ts'
import { drivePage, watchPage } from './drive-page.ts'
import { findViolations } from './find-violations.ts'
import { HOSTILE, richEndpoint } from './rich-endpoint.ts'
import { type ScriptedWallet, startPayingBrowser, untouched } from './scripted-wallet.ts'

const executable = findChromium()
const skip = executable === null ? 'no Chromium on this machine; apt-get install chromium' : false
const GOOD = '/test/good?word=toll'
const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }

const COLUMNS = ['name', 'height', 'harbours', 'measurement', 'datum']
const desk = createDesk()
let shop: Shop
let payer: Customer
let browser: Browser
let page: Page
let driver: ReturnType<typeof drivePage>
let wallet: ScriptedWallet
/** What the browser complained about, but for the 402 of the price. */
let complaints: string[]

before(async () => {
  shop = await openShop({ endpoints: [...desk.endpoints, richEndpoint] })
  if (executable === null) return
  ;({ browser, page, payer, wallet } = await startPayingBrowser(executable, shop))
  complaints = watchPage(page, shop.seller.url)
  driver = drivePage(page, shop.seller.url)
})
beforeEach(() => {
  Object.assign(wallet ?? {}, untouched(payer))
  desk.during = () => {}
  complaints?.splice(0)
})
after(async () => {
  await browser?.close()
  await shop?.close()
})

test('a browser gets a page with the same terms as programs get as JSON', async () => {
  const url = `${shop.seller.url}/test/good?word=${encodeURIComponent(HOSTILE)}&more=${encodeURIComponent(HOSTILE)}`
  const shown = await fetch(url, { headers: BROWSER })
  assert.equal(shown.status, 402)
  assert.match(shown.headers.get('content-type') ?? '', /^text\/html/)
  assert.match(shown.headers.get('vary') ?? '', /^Accept\b/)
  assert.equal(shown.headers.get('cache-control'), 'no-store')
  const policy = shown.headers.get('content-security-policy') ?? ''
  assert.match(policy, /^default-src 'none'; script-src 'self'; .*frame-ancestors 'none'$/)
  const text = await shown.text()
  assert.match(text, /<strong>\$0\.01<\/strong>/)
  assert.doesNotMatch(text, /<script>|<img src=x/)
  // What a wallet cannot sign, a page does not offer.
  const metered = await (await fetch(`${shop.seller.url}/test/meter`, { headers: BROWSER })).text()
  assert.match(metered, /<p id="unpayable">This endpoint is charged by use/)
  for (const accept of ['*/*', 'application/json, text/html', 'text/html;q=0.5, application/json']) {
    const plain = await fetch(url, { headers: { accept } })
    assert.match(plain.headers.get('content-type') ?? '', /^application\/problem\+json/, accept)
    assert.match(plain.headers.get('vary') ?? '', /^Accept\b/)
    const [one, other] = [shown, plain].map((each) =>
      decodePaymentRequiredHeader(each.headers.get('payment-required') ?? ''),
    )
    assert.deepEqual(one?.accepts, other?.accepts)
  }
})

test('a paid request gets its answer, and no page, whatever it accepts', async () => {
  const buyer = await shop.newPayer()
  const answer = await shop.ask(GOOD, await shop.sign(buyer, GOOD), { headers: BROWSER })
  assert.match(answer.headers.get('content-type') ?? '', /^application\/json/)
  const refused = await shop.ask(GOOD, 'bm9uc2Vuc2U=', { headers: BROWSER })
  assert.match(refused.headers.get('content-type') ?? '', /^application\/problem\+json/)
})

test('one click pays with the demo account, and shows the answer and its transaction', { skip }, async () => {
  const [demo] = DEV_CLIENT_ADDRESSES
  const before = await shop.balanceOf(demo)
  await driver.open(GOOD)
  assert.equal(await page.getByLabel('word').inputValue(), 'toll')
  const earned = await shop.earnedBy(async () => {
    await driver.pay('the demo account')
    await driver.untilAnswered()
  })
  assert.equal(earned, CENT)
  assert.equal(before - (await shop.balanceOf(demo)), CENT)
  const hash = (await page.locator('#receipt code').textContent()) as `0x${string}`
  assert.equal((await shop.chain.getTransactionReceipt({ hash })).status, 'success')
  assert.match((await page.locator('#content').textContent()) ?? '', /toll/)
  assert.deepEqual(complaints, [])
})

test('a wallet pays a POST from the page under /try, and all of the answer is text, tables and images', {
  skip,
}, async () => {
  await driver.open('/try/test/rich')
  await page.getByLabel('list').fill('[1, 2')
  await driver.pay()
  await driver.untilAnnounced('list must be JSON')
  await page.getByLabel('list').fill('[1, 12345678901234567890]')
  await page.getByText('Optional inputs (2)').click()
  await page.getByLabel('mode').selectOption('b')
  const earned = await shop.earnedBy(async () => {
    await driver.pay()
    await driver.untilAnswered()
  })
  assert.equal(earned, CENT)
  const content = page.locator('#content')
  assert.equal(await content.locator('h3').textContent(), 'Tides')
  assert.deepEqual(await content.locator('tr').first().locator('th').allTextContents(), COLUMNS)
  const cells = [HOSTILE, '2.1', 'Portsmouth, Dartmouth', 'preliminary', '']
  assert.deepEqual((await content.locator('td').allTextContents()).slice(0, 5), cells)
  const links = "[...document.querySelectorAll('#content a')].map((each) => each.href)"
  const targets = ['https://tides.example/', 'https://tides.example/x.png']
  assert.deepEqual(await page.evaluate<string[]>(links), targets)
  const shown = "[...document.querySelectorAll('#content img')].map((each) => each.naturalWidth)"
  assert.deepEqual(await page.evaluate<number[]>(shown), [1, 1, 8])
  assert.equal(await content.locator('script').count(), 0)
  assert.deepEqual(await findViolations(page), [])
  await driver.fitsPhone()
  assert.deepEqual(complaints, [])
})

test('a file is paid and sent from the page', { skip }, async () => {
  await driver.open('/try/test/photos')
  await page
    .getByLabel('file')
    .setInputFiles({ name: 'tide.txt', mimeType: 'text/plain', buffer: Buffer.from('a') })
  await driver.pay()
  await page.locator('#content').filter({ hasText: 'text/plain' }).waitFor()
})

test('a person who rejects the signature, or the switch to Base, has paid nothing and learns it', {
  skip,
}, async () => {
  await driver.open(GOOD)
  const { runs } = desk
  const earned = await shop.earnedBy(async () => {
    wallet.rejects = ['eth_signTypedData_v4']
    await driver.pay()
    await driver.untilAnnounced('You rejected the request in Scripted <b>wallet</b>. Nothing was paid.')
    wallet.rejects = ['wallet_switchEthereumChain']
    wallet.chainId = 1
    await driver.pay()
    await driver.untilAnnounced('on the wrong chain. Switch it to Base')
    Object.assign(wallet, { ...untouched(payer), isOnRealBase: true })
    await driver.pay()
    await driver.untilAnnounced('would be worth real money on Base')
    wallet.account = await shop.newPayer(9_999n)
    wallet.isOnRealBase = false
    await driver.pay()
    await driver.untilAnnounced(
      'Too little USDC: this account of Scripted <b>wallet</b> has $0.009999 on Base, and the call costs $0.01.',
    )
  })
  assert.equal(earned, 0n)
  assert.equal(desk.runs, runs)
  assert.deepEqual(complaints, [])
})

test('on Base, a wallet on another chain is switched, with Base added if it does not know it', {
  skip,
}, async () => {
  await page.route('**/test/good*', async (route) => {
    if (route.request().resourceType() !== 'document') return route.continue()
    const response = await route.fetch()
    await route.fulfill({ response, body: (await response.text()).replace(' data-demo', '') })
  })
  for (const chains of [[8453], []]) {
    await driver.open(GOOD)
    Object.assign(wallet, { ...untouched(payer), chainId: 1, chains })
    await driver.pay()
    await driver.untilAnswered()
    assert.equal(wallet.chainId, 8453)
  }
  await page.unroute('**/test/good*')
  assert.equal(
    await page
      .getByRole('button')
      .filter({ hasText: /demo|^Pay/ })
      .count(),
    1,
  )
  assert.match(
    (await page.locator('#receipt a').first().getAttribute('href')) ?? '',
    /^https:\/\/basescan\.org\/tx\/0x/,
  )
  for (const link of await page.locator('#receipt a').all())
    assert.equal(await link.getAttribute('target'), '_blank', 'the answer is in this page alone')
})

test('a page that is reloaded during its call gets the answer of the same payment', { skip }, async () => {
  const held = Promise.withResolvers<void>()
  const started = Promise.withResolvers<void>()
  await driver.open('/try/test/notes')
  await page.getByLabel('word').fill('reload')
  const signed = () => wallet.requested.filter((method) => method === 'eth_signTypedData_v4').length
  const before = signed()
  desk.during = () => {
    started.resolve()
    return held.promise
  }
  const earned = await shop.earnedBy(async () => {
    await driver.pay()
    await Promise.race([started.promise, driver.untilAnswered()]) // Fails if the call never starts.
    // Another page of the tab sends nothing.
    await driver.open('/try/test/notes?word=other')
    assert.equal(await page.getByRole('status').textContent(), '')
    await driver.open('/try/test/notes')
    await page.reload()
    desk.during = () => {}
    held.resolve()
    await driver.untilAnswered()
  })
  assert.equal(earned, CENT)
  assert.equal(signed() - before, 1)
  assert.equal(await page.getByLabel('word').inputValue(), 'reload')
  assert.match((await page.locator('#content').textContent()) ?? '', /reload/)
  await page.reload()
  assert.equal(await page.getByRole('status').textContent(), '')
})

test('an answer that was lost on its way is fetched again with the same payment', { skip }, async () => {
  await driver.open(GOOD)
  let lost = 0
  await page.route('**/test/good*', async (route) => {
    if (lost > 0 || !route.request().headers()['payment-signature']) return route.continue()
    lost += 1
    await route.fetch()
    await route.abort()
  })
  const earned = await shop.earnedBy(async () => {
    await driver.pay()
    await driver.untilAnswered()
  })
  await page.unroute('**/test/good*')
  assert.deepEqual([earned, lost], [CENT, 1])
})

test('terms that expire before the payment arrives cost nothing, and can be signed anew', {
  skip,
}, async () => {
  await driver.open(GOOD)
  await page.route('**/test/good*', async (route) => {
    const response = await route.fetch()
    const date = new Date(Date.now() - 3_600_000).toUTCString()
    await route.fulfill({ response, headers: { ...response.headers(), date } })
  })
  const earned = await shop.earnedBy(async () => {
    await driver.pay()
    await driver.untilAnnounced('These terms expired before the payment arrived. Nothing was paid')
  })
  assert.equal(earned, 0n)
  await page.unroute('**/test/good*')
  await driver.pay()
  await driver.untilAnswered()
})

test('arguments that would be refused are named before anything is signed', { skip }, async () => {
  await driver.open('/test/good?word=much-longer-than-twenty')
  assert.match((await page.locator('.note.mark ul').textContent()) ?? '', /word/)
  const before = wallet.requested.length
  await driver.pay()
  await driver.untilAnnounced(/word .*Nothing was paid\./)
  assert.equal(wallet.requested.length, before)
})

test('without script the page shows the price and how to pay', { skip }, async () => {
  const plain = await browser.newPage({ javaScriptEnabled: false })
  await plain.goto(shop.seller.url + GOOD)
  const text = (await plain.locator('main').textContent()) ?? ''
  for (const part of ['$0.01', 'Paying on this page needs JavaScript', 'main.ts call', 'proxy --to'])
    assert.ok(text.includes(part), part)
  await plain.close()
})

test('axe finds nothing on a price and on the list of endpoints, which fit a phone', { skip }, async () => {
  for (const path of ['/test/login', '/']) {
    await driver.open(path)
    assert.deepEqual(await findViolations(page), [], path)
    await driver.fitsPhone()
  }
})

test('the keyboard alone fills in, pays and reaches the answer', { skip }, async () => {
  await driver.open(GOOD)
  await page.getByLabel('word').focus()
  await page.keyboard.press('Enter')
  assert.equal(await page.locator(':focus').textContent(), 'Pay with the demo account')
  await page.keyboard.press('Enter')
  await driver.untilAnswered()
  assert.equal(await page.locator(':focus').getAttribute('id'), 'answer')
})
