import type { Finding } from '@tollbook/runtime/check/finding'
import type { Config } from '@tollbook/runtime/config'
import { RenderError } from '../browser/browser-task.ts'
import { findChromiumPackage, findSystemChromium } from '../browser/own/find-chromium.ts'
import { readProduct } from './browser-product.ts'

const NAME = 'browser'

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
