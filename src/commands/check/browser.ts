import type { Config } from '../../config.ts'
import { RenderError } from '../../utility/browser/browser-task.ts'
import { connectCdp } from '../../utility/browser/cdp-connection.ts'
import { findChromiumPackage, findSystemChromium } from '../../utility/browser/own/find-chromium.ts'
import type { Finding } from './finding.ts'

const NAME = 'browser'
const TIMEOUT_MS = 10_000

/** Checks the browser that renders pages. Its URL is not printed: the path is a secret. */
export async function checkBrowser(config: Config): Promise<readonly Finding[]> {
  const url = config.TOLLBOOK_BROWSER_WS
  if (url === undefined) {
    const found = findSystemChromium()?.file ?? findChromiumPackage()
    const isStarted = config.TOLLBOOK_BROWSER === 'auto' && found !== null
    const text = isStarted
      ? `no TOLLBOOK_BROWSER_WS; the service starts ${found}`
      : 'no TOLLBOOK_BROWSER_WS, and no Chromium to start; scripts of pages are not run'
    return [{ verdict: 'note', name: NAME, text }]
  }
  try {
    return [{ verdict: 'ok', name: NAME, text: `${await readProduct(url)} answers` }]
  } catch (error) {
    if (!(error instanceof RenderError)) throw error
    const { failure } = error
    return [
      {
        verdict: 'failed',
        name: NAME,
        text: `${failure.detail}; check that it runs, and TOLLBOOK_BROWSER_WS`,
      },
    ]
  }
}

/** Such as `HeadlessChrome/131.0.6778.33`. @throws RenderError */
export async function readProduct(url: string): Promise<string> {
  const gone = Promise.withResolvers<never>()
  gone.promise.catch(() => {})
  const connection = await connectCdp(url, {
    timeoutMs: TIMEOUT_MS,
    onEvent: () => {},
    onGone: gone.reject,
  })
  const late = new RenderError({ of: 'browser', detail: 'the browser did not answer' })
  const timer = setTimeout(() => gone.reject(late), TIMEOUT_MS)
  try {
    // https://chromedevtools.github.io/devtools-protocol/tot/Browser/#method-getVersion
    const requested = connection.send<{ product?: unknown }>('Browser.getVersion', {})
    const { product } = await Promise.race([requested, gone.promise])
    return typeof product === 'string' ? product.slice(0, 100) : 'a browser without a name'
  } finally {
    clearTimeout(timer)
    connection.close()
  }
}
