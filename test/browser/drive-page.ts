import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'

/** What the browser complains about, and its requests to other origins; a 402 and a 409 belong to a payment. */
export function watchPage(page: Page, origin: string): string[] {
  const complaints: string[] = []
  page.on('console', (message) => {
    if (!/status of (402|409)/.test(message.text())) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('dialog', async (dialog) => {
    complaints.push(dialog.message())
    await dialog.dismiss()
  })
  page.on('request', (request) => {
    if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(origin))
      complaints.push(`requested ${request.url()}`)
  })
  return complaints
}

/** What a person does with a page that pays, at this address. */
export function drivePage(page: Page, address: string) {
  // A busy machine may take 15 s to look at an unsettled transaction again.
  page.setDefaultTimeout(120_000)
  return {
    open: (path: string) => page.goto(address + path, { waitUntil: 'load' }),
    pay: (name = 'Scripted <b>wallet</b>') =>
      page.getByRole('button', { name: `Pay with ${name}`, exact: true }).click(),
    untilAnnounced: (text: string | RegExp) => page.getByRole('status').filter({ hasText: text }).waitFor(),
    async untilAnswered() {
      try {
        await page.getByRole('heading', { name: 'Answer' }).waitFor()
      } catch (cause) {
        throw new Error(`no answer; the page announces: ${await page.getByRole('status').textContent()}`, {
          cause,
        })
      }
    },
    async fitsPhone() {
      await page.setViewportSize({ width: 320, height: 640 })
      assert.equal(await page.evaluate<number>('document.documentElement.scrollWidth'), 320)
    },
  }
}
