import type { Browser, BrowserContextOptions, Page } from 'playwright-core'

export type Visit = {
  /** All errors of the browser, and all its requests to other hosts. */
  readonly complaints: readonly string[]
  /** What a person sees. */
  readonly text: string
}

/** A visitor that opens one page after the other in the same tab: a tab for each costs a process. */
export type Visitor = {
  /** Opens a page as wide and light as at first, and hands it on. */
  visit(address: string, look?: (page: Page) => Promise<void>): Promise<Visit>
}

const VIEWPORT = { width: 1280, height: 720 }

/** The visitor is gone when the browser is closed. */
export async function openVisitor(browser: Browser, options: BrowserContextOptions = {}): Promise<Visitor> {
  const context = await browser.newContext({ ...options, viewport: VIEWPORT })
  const page = await context.newPage()
  let complaints: string[] = []
  let origin = ''
  page.on('console', (message) => complaints.push(`${message.type()}: ${message.text()}`))
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`))
  page.on('dialog', async (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`)
    await dialog.dismiss()
  })
  page.on('request', (request) => {
    if (!request.url().startsWith(origin)) complaints.push(`asked ${request.url()}`)
  })
  page.on('response', (response) => {
    if (response.status() >= 400) complaints.push(`${response.status()} ${response.url()}`)
  })
  return {
    async visit(address, look) {
      await page.emulateMedia({ colorScheme: null })
      await page.setViewportSize(VIEWPORT)
      const own: string[] = []
      complaints = own
      origin = new URL(address).origin
      await page.goto(address, { waitUntil: 'load' })
      // biome-ignore lint/performance/useDomNodeTextContent: what a person sees, without hidden text
      const text = await page.locator('body').innerText()
      await look?.(page)
      return { complaints: own, text }
    },
  }
}
