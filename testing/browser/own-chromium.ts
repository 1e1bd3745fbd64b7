import { findSystemChromium } from '../../src/utility/browser/own/find-chromium.ts'
import { OwnBrowsers } from '../../src/utility/browser/own/own-browsers.ts'
import { BrowserFailed } from '../../src/utility/browser/own/run-chromium.ts'

/** The system's Chromium as the product runs it, or why this machine has none. */
export async function startOwnChromium(): Promise<OwnBrowsers | string> {
  const chromium = findSystemChromium()
  if (chromium === null) return 'no Chromium on this machine; apt-get install chromium'
  try {
    return await OwnBrowsers.start(chromium, () => {})
  } catch (error) {
    if (error instanceof BrowserFailed && error.isSandbox) return 'Chromium has no sandbox on this machine'
    throw error
  }
}
