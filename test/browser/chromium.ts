import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** Where a Chromium lies that is not ours to install; null when this machine has none. */
export function findChromium(): string | null {
  return PLACES.find((path) => existsSync(path)) ?? null
}

/** Starts Chromium without a screen, and without its own calls to the network. */
export function startChromium(executablePath: string): Promise<Browser> {
  const quiet = ['background-networking', 'component-update', 'sync', 'default-apps', 'domain-reliability']
  return chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--no-first-run', ...quiet.map((name) => `--disable-${name}`)],
  })
}
