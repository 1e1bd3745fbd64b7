import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openShop } from '@tollbook/testing/paying/shop'
import { findChromium, startChromium } from './chromium.ts'
import { drivePage, watchPage } from './drive-page.ts'

const executable = findChromium()
const skip = executable === null ? 'no Chromium on this machine; apt-get install chromium' : false
/** A page shows so many undeclared arguments. */
const MAX_UNDECLARED = 20
const NAMES = `(() => {
  const names = new Set()
  for (let each = document.createElement('form'); each; each = Object.getPrototypeOf(each))
    for (const name of Object.getOwnPropertyNames(each)) names.add(name)
  return [...names]
})()`

/** Looks at each frame until this returns something. */
const until = (body: string) => `new Promise((resolve, reject) => {
  const ends = performance.now() + 60_000
  const look = () => {
    if ((() => { ${body} })()) resolve()
    else if (performance.now() < ends) requestAnimationFrame(look)
    else reject(new Error('nothing after a minute'))
  }
  look()
})`

test('no name of an argument in a link hides a member that the page that pays needs', { skip }, async (t) => {
  const shop = await openShop()
  t.after(() => shop.close())
  const browser = await startChromium(executable as string)
  t.after(() => browser.close())
  const page = await browser.newPage()
  const complaints = watchPage(page, shop.seller.url)
  const driver = drivePage(page, shop.seller.url)
  await driver.open('/test/good?word=toll')
  const names = await page.evaluate<string[]>(NAMES)
  for (const name of ['dataset', 'addEventListener', 'querySelectorAll'])
    assert.ok(names.includes(name), name)
  for (let at = 0; at < names.length; at += MAX_UNDECLARED) {
    const query = new URLSearchParams(
      names.slice(at, at + MAX_UNDECLARED).map((name): [string, string] => [name, 'x']),
    )
    await driver.open(`/test/good?word=toll&${query}`)
    // By script: the locators of Playwright read members of the form that these names hide.
    await page.evaluate(
      until("const [button] = document.querySelectorAll('#pay button'); button?.click(); return button"),
    )
    await page.evaluate(
      until("return /Nothing was paid\\./.test(document.getElementById('status').textContent)"),
    )
    assert.deepEqual(complaints, [])
  }
})
