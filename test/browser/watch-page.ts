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
