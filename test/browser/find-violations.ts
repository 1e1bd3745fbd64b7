import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
/** WCAG 2.2 A and AA, and what axe holds for good practice. */
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
/** Every rule wide and narrow, and the colours in the light and in the dark. */
export const LOOKS = [
  { colorScheme: 'light', width: 1200 },
  { colorScheme: 'dark', width: 360 },
] as const

/** Unfolds whatever is folded away, so that it is looked at as well. */
export async function unfold(page: Page): Promise<void> {
  await page.evaluate('document.querySelectorAll("details").forEach((each) => { each.open = true })')
}

export type Look = (typeof LOOKS)[number]

/** Every violation that axe finds in these looks of the page. */
export async function findViolations(page: Page, looks: readonly Look[] = LOOKS): Promise<readonly string[]> {
  await unfold(page)
  await page.evaluate(AXE)
  const run = `axe.run(document, ${JSON.stringify({ runOnly: TAGS, resultTypes: ['violations'] })})`
  const found: string[] = []
  for (const { colorScheme, width } of looks) {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize({ width, height: 800 })
    const { violations } = await page.evaluate<AxeResults>(run)
    for (const { id, nodes } of violations) {
      found.push(...nodes.map((node) => `${colorScheme} ${width} ${id}: ${node.html} ${node.failureSummary}`))
    }
  }
  return found
}
