import type { ExampleRequest } from '@tollbook/testing/catalogue/example-requests'

/** Everything that could run or load something in the page: one script, one stylesheet and icons, all our own. */
const ACTIVE = /<(?:script|link|img|iframe|object|embed|base|style|meta http)[^>]*>/g
const OWN =
  /^<(?:script type="module" src="\/pay\/pay\.js"|link rel="(?:icon|stylesheet|canonical)"|img src="\/icon\.svg")/

/** What is wrong with the page that a browser gets for an unpaid request; null if nothing is. */
export async function judgePage(
  origin: string,
  { path, init }: ExampleRequest,
  signal: AbortSignal,
): Promise<string | null> {
  const headers = new Headers(init.headers)
  headers.set('accept', 'text/html')
  const response = await fetch(`${origin}${path}`, { ...init, headers, signal })
  const text = await response.text()
  if (response.status !== 402) return response.status === 500 ? 'a page failed' : null
  if (!response.headers.get('content-type')?.startsWith('text/html')) return 'a 402 for a browser is no page'
  const foreign = text.match(ACTIVE)?.find((tag) => !OWN.test(tag))
  return foreign === undefined ? null : `a page with ${foreign}`
}
