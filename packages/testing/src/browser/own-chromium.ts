import { findSystemChromium } from '@tollbook/utility/browser/own/find-chromium'
import { OwnBrowsers } from '@tollbook/utility/browser/own/own-browsers'
import { BrowserFailed } from '@tollbook/utility/browser/own/run-chromium'

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
