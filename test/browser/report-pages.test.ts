import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { isExploring } from '@tollbook/testing/property'
import { BASE_URL } from '@tollbook/testing/report/publish-sample'
import { BUSY, QUIET } from '@tollbook/testing/report/sample-figures'
import type { Browser, Page } from 'playwright-core'
import { findChromium, startChromium } from './chromium.ts'
import { findViolations, LOOKS, unfold } from './find-violations.ts'
import { openEmptySite, openReportSite, type ReportSite, WEEK } from './report-site.ts'
import { openVisitor, type Visitor } from './visitor.ts'

const executable = findChromium()
const skip = executable === null ? 'no Chromium on this machine; apt-get install chromium' : false
const MERCHANT = `/merchants/base/${BUSY.address}`
/** One of each kind, for axe, which takes most of the time; and what differs from it in its parts alone. */
const KINDS = [
  '/',
  MERCHANT,
  '/search?q=forecast',
  '/overview',
  `/compare?merchants=${BUSY.address},${QUIET.address}`,
  '/methodology',
  '/problems',
  `/claims?address=${BUSY.address}`,
]
const VARIANTS = [
  `/?week=${WEEK}`,
  `${MERCHANT}?week=${WEEK}`,
  `/merchants/base/${QUIET.address}`,
  '/search?q=nobody',
]
const PHONES = [
  { width: 360, height: 740 },
  { width: 320, height: 640 },
]

let browser: Browser
let site: ReportSite
let scripted: Visitor
/** Has no JavaScript. */
let plain: Visitor

before(async () => {
  if (executable === null) return
  site = await openReportSite()
  browser = await startChromium(executable)
  scripted = await openVisitor(browser)
  plain = await openVisitor(browser, { javaScriptEnabled: false })
})

after(async () => {
  await browser?.close()
  await site?.close()
})

const visit = (path: string, look?: (page: Page) => Promise<void>) => scripted.visit(site.url + path, look)
const visitPlain = (path: string, look?: (page: Page) => Promise<void>) => plain.visit(site.url + path, look)

async function fitsPhones(page: Page): Promise<void> {
  await unfold(page)
  for (const viewport of PHONES) {
    await page.setViewportSize(viewport)
    const width = await page.evaluate<number>('document.documentElement.scrollWidth')
    assert.ok(width <= viewport.width, `${width} pixels wide on ${viewport.width}`)
  }
}

for (const [at, path] of KINDS.entries()) {
  // `npm run explore` tests both looks of every page.
  const looks = isExploring || path === MERCHANT ? LOOKS : LOOKS.filter((_, look) => look === at % 2)

  test(`${path} opens without a complaint of the browser or of axe, fits a narrow phone, and needs no JavaScript`, {
    skip,
  }, async () => {
    const { complaints, text } = await visit(path, async (page) => {
      assert.deepEqual(await findViolations(page, looks), [])
      await fitsPhones(page)
    })
    assert.deepEqual(complaints, [])
    assert.deepEqual(await visitPlain(path), { complaints: [], text })
  })
}

for (const path of VARIANTS) {
  test(`${path} opens without a complaint of the browser, and fits a narrow phone`, { skip }, async () => {
    assert.deepEqual((await visit(path, fitsPhones)).complaints, [])
  })
}

test('axe finds nothing on an error page and on a site without publications', { skip }, async () => {
  const empty = await openEmptySite()
  try {
    for (const address of [`${site.url}/merchants/base/0x${'9'.repeat(40)}`, `${empty.url}/`]) {
      await scripted.visit(address, async (page) => {
        assert.deepEqual(await findViolations(page), [])
      })
    }
  } finally {
    await empty.close()
  }
})

test('the merchant page shows both totals, the chart, the flags, the listings and its badge', {
  skip,
}, async () => {
  const { text } = await visitPlain(MERCHANT, async (page) => {
    const days = page.locator('section[aria-labelledby=days] svg.chart')
    // Two of five days pass, and all five are reported.
    assert.equal(await days.locator('rect.reported').count(), 5)
    assert.equal(await days.locator('rect.passing').count(), 2)
    const badge = page.locator('section[aria-labelledby=badge] img').first()
    assert.ok(((await badge.boundingBox())?.width ?? 0) > 100)
    assert.equal(await page.locator('script').count(), 0)
    // Three listings with three prices, each a mark on the axis.
    assert.equal(await page.locator('section[aria-labelledby=paid] path.listed').count(), 3)
    const markdown = await page.getByLabel('Markdown').inputValue()
    assert.match(markdown, /^\[!\[x402 payments of api\.weather\.example\]\(.+badge\.svg\)\]\(.+\)$/)
  })
  for (const part of [
    'api.weather.example received $7.35 of x402 payments passing every screen (77% of $9.55 reported)',
    'of $9.55 reported (77%)',
    'tiny_repeat',
    'not a finding of wrongdoing',
    'https://api.weather.example/v1/forecast',
    '<script>alert(1)</script>',
    'payments.csv',
    `verify "${site.url}${MERCHANT}.json" --rpc`,
    'version 1',
    WEEK,
  ]) {
    assert.ok(text.includes(part), part)
  }
})

test('what a merchant writes makes no element and runs nothing', { skip }, async () => {
  for (const path of [
    MERCHANT,
    `${MERCHANT}?week=${WEEK}`,
    '/search?q=%3Cimg%20src=x%20onerror=alert(3)%3E',
  ]) {
    const { complaints } = await visit(path, async (page) => {
      await unfold(page)
      assert.equal(await page.locator('script, iframe, object, embed, base').count(), 0)
      assert.equal(await page.locator('img:not([src^="/"])').count(), 0)
      assert.equal(await page.locator('[onerror], [onload], [onclick], [style]').count(), 0)
      assert.equal(await page.locator('a[href^="javascript:"], a[href^="data:"]').count(), 0)
    })
    assert.deepEqual(complaints, [], path)
  }
})

test('the first stop of the keyboard skips to the content, and every stop can be seen', {
  skip,
}, async () => {
  await visit('/', async (page) => {
    await page.keyboard.press('Tab')
    assert.equal(await page.locator(':focus').textContent(), 'Skip to content')
    for (let stops = 0; stops < 10; stops += 1) {
      await page.keyboard.press('Tab')
      const outline = "getComputedStyle(document.activeElement).outlineStyle !== 'none'"
      assert.equal(await page.evaluate<boolean>(outline), true)
    }
  })
})

test('the keyboard alone leads from the ranking to the badge of a merchant', { skip }, async () => {
  await visit('/', async (page) => {
    const tabTo = async (what: string) => {
      for (let stops = 0; stops < 60; stops += 1) {
        await page.keyboard.press('Tab')
        if (await page.evaluate<boolean>(`document.activeElement.matches(${JSON.stringify(what)})`)) return
      }
      assert.fail(`no stop at ${what}`)
    }
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await tabTo(`a[href="${MERCHANT}"]`)
    await page.keyboard.press('Enter')
    await page.waitForURL(`**${MERCHANT}`)
    await tabTo('textarea')
    await page.keyboard.press('Control+a')
    const selected = await page.evaluate<number>(
      'document.activeElement.selectionEnd - document.activeElement.selectionStart',
    )
    assert.equal(selected, (await page.locator('textarea').first().inputValue()).length)
  })
})

test('the search box leads to the merchant', { skip }, async () => {
  await visitPlain('/', async (page) => {
    await page.locator('input[name=q]').fill('forecast')
    await page.locator('form button').click()
    await page.locator('table a', { hasText: 'api.weather.example' }).click()
    assert.equal(new URL(page.url()).pathname, MERCHANT)
  })
})

test('each title of the ranking orders by its column, and turns the order', { skip }, async () => {
  await visitPlain('/', async (page) => {
    for (const title of ['Merchant', 'Passes', 'Flagged']) {
      await page.getByRole('columnheader', { name: title }).getByRole('link').click()
      const first = await page.locator('tbody tr th a').first().textContent()
      const state = await page.locator('th[aria-sort]').getAttribute('aria-sort')
      await page.getByRole('columnheader', { name: title }).getByRole('link').click()
      assert.notEqual(await page.locator('tbody tr th a').first().textContent(), first, title)
      assert.notEqual(await page.locator('th[aria-sort]').getAttribute('aria-sort'), state, title)
    }
  })
})

test('the week of a merchant leads back to its newest window', { skip }, async () => {
  await visitPlain('/', async (page) => {
    await page.getByRole('link', { name: `Week to ${WEEK}` }).click()
    await page.locator('table a', { hasText: 'api.weather.example' }).click()
    assert.equal(new URL(page.url()).search, `?week=${WEEK}`)
    await page.getByRole('link', { name: 'The newest window' }).click()
    assert.equal(new URL(page.url()).pathname + new URL(page.url()).search, MERCHANT)
  })
})

test('the feeds are well-formed, and each entry leads to a page', { skip }, async () => {
  await visit('/', async (page) => {
    for (const path of ['/feed.atom', `${MERCHANT}/feed.atom`]) {
      const xml = await (await fetch(site.url + path)).text()
      const read = `(() => {
        const xml = new DOMParser().parseFromString(${JSON.stringify(xml)}, 'application/xml')
        return { root: xml.documentElement.namespaceURI + xml.documentElement.localName,
          pages: [...xml.querySelectorAll('entry > link[type="text/html"]')].map((link) => link.getAttribute('href')),
          ids: [...xml.querySelectorAll('id')].map((id) => id.textContent) }
      })()`
      const { root, pages, ids } = await page.evaluate<{ root: string; pages: string[]; ids: string[] }>(read)
      assert.equal(root, 'http://www.w3.org/2005/Atomfeed', path)
      assert.equal(pages.length, 1)
      assert.equal(new Set(ids).size, 2)
      for (const each of pages)
        assert.equal((await fetch(each.replace(BASE_URL, site.url))).status, 200, each)
    }
  })
})
