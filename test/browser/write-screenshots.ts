import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Browser, Page } from 'playwright-core'
import { findChromium, startChromium } from './chromium.ts'

const FOLDER = 'docs/screenshots'
const LOOKS = [
  { name: 'light', colorScheme: 'light', viewport: { width: 1024, height: 1420 } },
  { name: 'dark', colorScheme: 'dark', viewport: { width: 1024, height: 1420 } },
  // More than two screens of a phone, so that the figures and the chart below them are both seen.
  { name: 'phone', colorScheme: 'light', viewport: { width: 360, height: 1760 } },
] as const

/** Starts the product on its demo week, and writes docs/screenshots from its pages. */
async function writeScreenshots(): Promise<void> {
  const executable = findChromium()
  if (executable === null) throw new Error('no Chromium on this machine; apt-get install chromium')
  const dataDir = mkdtempSync(join(tmpdir(), 'tollbook-screenshots-'))
  const product = startProduct(dataDir)
  try {
    const { report: baseUrl = '', utility = '' } = await untilReady(product)
    const browser = await startChromium(executable)
    mkdirSync(FOLDER, { recursive: true })
    for (const [name, path] of Object.entries(await choosePages(baseUrl))) {
      await shoot(browser, name, baseUrl + path)
    }
    await shoot(browser, 'endpoints', `${utility}/`)
    await shoot(browser, 'price', `${utility}/api/icon/search?q=boat&limit=3`)
    await shoot(browser, 'paid', `${utility}/api/icon/search?q=boat&limit=3`, async (page) => {
      await page.getByRole('button', { name: 'Pay with the demo account' }).click()
      await page.getByRole('heading', { name: 'Answer' }).waitFor()
    })
    await browser.close()
  } finally {
    product.kill('SIGTERM')
    await once(product, 'exit')
    rmSync(dataDir, { recursive: true, force: true })
  }
}

function startProduct(dataDir: string): ChildProcess {
  const ports = ['REPORT', 'SOCIAL', 'UTILITY', 'INFERENCE', 'DEVCHAIN'].map(
    (service) => [`TOLLBOOK_${service}_PORT`, '0'] as const,
  )
  return spawn(process.execPath, ['src/main.ts', 'start'], {
    env: { ...process.env, TOLLBOOK_DATA_DIR: dataDir, ...Object.fromEntries(ports) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

/** The addresses of the services, once the product says that it is ready. */
async function untilReady(product: ChildProcess): Promise<Readonly<Record<string, string>>> {
  if (!product.stdout) throw new Error('the product has no output')
  const urls: Record<string, string> = {}
  for await (const line of createInterface({ input: product.stdout })) {
    process.stdout.write(`${line}\n`)
    const [, name, url] = /^(\w+)\s+(http\S+)/.exec(line) ?? []
    if (name && url) urls[name] ??= url
    if (line === 'ready') return urls
  }
  throw new Error('the product ended before it was ready')
}

/** Of the merchants the first by real revenue that has something flagged and something listed. */
async function choosePages(baseUrl: string): Promise<Readonly<Record<string, string>>> {
  const { merchants } = (await (await fetch(`${baseUrl}/merchants.json`)).json()) as {
    merchants: { address: string; name: string; flags: object }[]
  }
  const shown = merchants.find(
    ({ address, name, flags }) => name !== address && Object.keys(flags).length > 0,
  )
  if (!shown) throw new Error('no merchant has both a flag and a listing')
  return {
    ranking: '/',
    merchant: `/merchants/base/${shown.address}`,
    overview: '/overview',
    methodology: '/methodology',
  }
}

async function shoot(
  browser: Browser,
  name: string,
  url: string,
  act?: (page: Page) => Promise<void>,
): Promise<void> {
  for (const { name: look, ...options } of LOOKS) {
    const context = await browser.newContext({ ...options, reducedMotion: 'reduce' })
    const page = await context.newPage()
    await page.goto(url, { waitUntil: 'load' })
    await act?.(page)
    const path = join(FOLDER, `${name}-${look}.png`)
    await page.screenshot({ path })
    process.stdout.write(`${path}\n`)
    await context.close()
  }
}

await writeScreenshots()
