import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { pino } from 'pino'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { type Listening, listen } from '../../src/catalogue/serve.ts'
import { publishRun } from '../../src/report/publish/publish-run.ts'
import { migrateState } from '../../src/state/migrate.ts'
import { openState } from '../../src/state/open.ts'
import type { State } from '../../src/state/state.ts'
import { publishSample } from '../publish-sample.ts'
import { BUSY, sampleRun } from '../sample-run.ts'
import { sampleService } from '../sample-service.ts'
import { findChromium, startChromium } from './chromium.ts'

const executable = findChromium()
const skip = executable === null ? 'no Chromium on this machine; apt-get install chromium' : false
const MERCHANT = `/merchants/base/${BUSY.address}`
const PATHS = ['/', MERCHANT, '/search?q=forecast', '/methodology', '/problems']
const PHONE = { width: 320, height: 640 }

let browser: Browser
let state: State
let service: Listening

before(async () => {
  if (executable === null) return
  state = await openState('sqlite::memory:')
  await migrateState(state)
  await publishSample(state)
  const { app } = sampleService(state)
  service = await listen({ app, host: '127.0.0.1', port: 0, logger: pino({ level: 'silent' }) })
  // Once more, with links that lead to this very server.
  await publishRun({ state, run: sampleRun(), baseUrl: service.url, now: new Date() })
  browser = await startChromium(executable)
})

after(async () => {
  await browser?.close()
  await service?.close()
  await state?.close()
})

/** Opens a page, hands it on, and gives everything that the browser complained about or asked others for. */
async function visit(path: string, options: BrowserContextOptions, look?: (page: Page) => Promise<void>) {
  const context = await browser.newContext(options)
  const complaints: string[] = []
  try {
    const page = await context.newPage()
    page.on('console', (message) => complaints.push(`${message.type()}: ${message.text()}`))
    page.on('pageerror', (error) => complaints.push(`error: ${error.message}`))
    page.on('dialog', (dialog) => complaints.push(`dialog: ${dialog.message()}`))
    page.on('request', (request) => {
      if (!request.url().startsWith(service.url)) complaints.push(`asked ${request.url()}`)
    })
    page.on('response', (response) => {
      if (response.status() >= 400) complaints.push(`${response.status()} ${response.url()}`)
    })
    await page.goto(service.url + path, { waitUntil: 'load' })
    // biome-ignore lint/performance/useDomNodeTextContent: what a person sees, without hidden text
    const text = await page.locator('body').innerText()
    await look?.(page)
    return { complaints, text }
  } finally {
    await context.close()
  }
}

for (const path of PATHS) {
  test(`${path} opens without a complaint, fits a narrow phone, and needs no JavaScript`, {
    skip,
  }, async () => {
    const scripted = await visit(path, { viewport: PHONE }, async (page) => {
      const width = await page.evaluate<number>('document.documentElement.scrollWidth')
      assert.ok(width <= PHONE.width, `${width} pixels wide`)
    })
    assert.deepEqual(scripted.complaints, [])
    const plain = await visit(path, { viewport: PHONE, javaScriptEnabled: false })
    assert.deepEqual(plain.complaints, [])
    assert.equal(plain.text, scripted.text)
  })
}

test('the merchant page shows both totals, the chart, the flags, the listings and its badge', {
  skip,
}, async () => {
  const { text } = await visit(MERCHANT, { javaScriptEnabled: false }, async (page) => {
    // Two of five days pass, and all five are reported.
    assert.equal(await page.locator('svg.chart rect.reported').count(), 5)
    assert.equal(await page.locator('svg.chart rect.passing').count(), 2)
    const badge = page.locator('section[aria-labelledby=badge] img')
    assert.ok(((await badge.boundingBox())?.width ?? 0) > 100)
    assert.equal(await page.locator('script').count(), 0)
  })
  for (const part of [
    'api.weather.example received $7.35 of x402 payments passing every screen (77% of $9.55 reported)',
    'of $9.55 reported (77%)',
    'tiny_repeat',
    'not a finding of wrongdoing',
    'https://api.weather.example/v1/forecast',
    '<script>alert(1)</script>',
    'payments.csv',
  ]) {
    assert.ok(text.includes(part), part)
  }
})

test('the first stop of the keyboard skips to the content, and every stop can be seen', {
  skip,
}, async () => {
  await visit('/', {}, async (page) => {
    await page.keyboard.press('Tab')
    assert.equal(await page.locator(':focus').textContent(), 'Skip to content')
    for (let stops = 0; stops < 10; stops += 1) {
      await page.keyboard.press('Tab')
      const outline = "getComputedStyle(document.activeElement).outlineStyle !== 'none'"
      assert.equal(await page.evaluate<boolean>(outline), true)
    }
  })
})

test('the search box leads to the merchant', { skip }, async () => {
  await visit('/', { javaScriptEnabled: false }, async (page) => {
    await page.locator('input[name=q]').fill('forecast')
    await page.locator('form button').click()
    await page.locator('table a', { hasText: 'api.weather.example' }).click()
    assert.equal(new URL(page.url()).pathname, MERCHANT)
  })
})
