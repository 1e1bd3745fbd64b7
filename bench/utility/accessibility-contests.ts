import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { checkSource } from '@tollbook/utility/endpoints/api/a11y/check/check-source'
import { checkAlternatives } from '@tollbook/utility/endpoints/api/seo/alt-check/check-alternatives'
import { decodeHtml } from '@tollbook/utility/page/decode-html'
import type { PageSource } from '@tollbook/utility/page/read-page'
import type { Page } from 'playwright-core'
import { findChromium, startChromium } from '../../test/browser/chromium.ts'
import { runContest, type Side, timed } from './contest.ts'
import type { Pages } from './pages.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const IMAGES = {
  runOnly: [
    'area-alt',
    'image-alt',
    'image-redundant-alt',
    'input-image-alt',
    'object-alt',
    'role-img-alt',
    'svg-img-alt',
  ],
}
const OPTIONS = { level: 'AAA', standard: 'wcag22', hasBestPractices: true } as const
/** A page that blocks axe for longer counts as failed. */
const SLOWEST_MS = 20_000

/**
 * Both checkers, in one thread, next to axe-core. It needs a browser's layout, so it runs in Chromium if that
 * is available.
 */
export async function runAccessibilityContests({ from, pages }: Pages): Promise<void> {
  const path = findChromium()
  if (path === null) process.stderr.write('Chromium is not available, so axe-core is not measured\n')
  const browser = path === null ? null : await startChromium(path)
  try {
    // The network is blocked and page scripts do not run: axe-core works on the same bytes as our checkers.
    const context = await browser?.newContext({ offline: true, serviceWorkers: 'block' })
    const page = await context?.newPage()
    const toPeer = (name: string, options: object) =>
      page === undefined
        ? null
        : { name: `axe-core 4.14.1 in Chromium, ${name}`, side: runAxe(page, options) }
    const common = { unit: 'pages/s', items: pages, setting: { from } }
    await runContest<PageSource>({
      ...common,
      figure: '/api/seo/alt-check, from bytes to findings',
      ours: timed((source) => checkAlternatives({ source, maxLength: 125 })),
      peer: toPeer('rules about pictures', IMAGES),
    })
    await runContest<PageSource>({
      ...common,
      figure: '/api/a11y/check, from bytes to findings',
      ours: timed((source) => checkSource({ source, sheets: new Map(), options: OPTIONS })),
      peer: toPeer('all rules', {}),
    })
  } finally {
    await browser?.close()
  }
}

function runAxe(page: Page, options: object): Side<PageSource> {
  return async ({ body, contentType }) => {
    const html = decodeHtml(body, contentType).text.replace(
      /<script\b(?![^>]*ld\+json)[\s\S]*?<\/script>/gi,
      '',
    )
    const startedMs = performance.now()
    await page.setContent(html, { timeout: SLOWEST_MS, waitUntil: 'domcontentloaded' })
    await page.evaluate(AXE)
    const run = page.evaluate(
      `axe.run(document, ${JSON.stringify({ ...options, resultTypes: ['violations'] })})`,
    )
    await Promise.race([
      run,
      page.waitForTimeout(SLOWEST_MS).then(() => Promise.reject(new Error('too long'))),
    ])
    return performance.now() - startedMs
  }
}
