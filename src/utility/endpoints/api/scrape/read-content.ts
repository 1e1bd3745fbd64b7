import type { Address, Call } from '../../../../catalogue/endpoint.ts'
import type { ExtractOptions } from '../../../../engines/extract/extract-page.ts'
import { ProblemError } from '../../../../http/problem.ts'
import type { RenderWishes } from '../../../browser/browser-task.ts'
import type { RenderedPage, RenderOptions } from '../../../page/content/render-page.ts'
import { workOnContent } from '../../../page/content/work-on-content.ts'
import { documentKindOf } from '../../../page/documents/document-kind.ts'
import { type Page, toSource } from '../../../page/read-page.ts'
import type { UtilityPorts } from '../../../ports.ts'

type Asked = {
  /** `auto`: renders if the page has hardly any content as received, and scripts that could add some. */
  readonly render: 'auto' | 'always' | 'never'
  readonly options: RenderOptions & ExtractOptions
  /** With any, the page is always rendered. */
  readonly wishes: RenderWishes
}

type Asking = Pick<Call<unknown, UtilityPorts, Address>, 'ports' | 'payer' | 'signal'>

type Content = {
  /** The URL after the scripts ran, if they ran. */
  readonly page: Page
  readonly found: RenderedPage & { readonly rawHtml?: string }
  readonly isRendered: boolean
  /** PNG, base64. */
  readonly screenshot?: string
}

/**
 * Chosen: application shells say "loading" and "please enable JavaScript", which is less than two sentences.
 */
const FEW_WORDS = 50

const NOTHING_TO_RENDER = {
  code: 'cannot_be_served',
  detail: 'A screenshot and wait_for need HTML, which the document is not.',
} as const

/**
 * Reads the content of a page, after running its scripts if requested.
 * @throws ProblemError for a page that is too complex; with `always` also if it cannot be rendered.
 */
export async function readContent(
  page: Page,
  { render, options, wishes }: Asked,
  asking: Asking,
): Promise<Content> {
  const hasWishes = Object.keys(wishes).length > 0
  const isHtml = documentKindOf(toSource(page)) === 'html'
  if (hasWishes && !isHtml) throw new ProblemError(NOTHING_TO_RENDER)
  if (isHtml && (render === 'always' || hasWishes)) return readRendered(page, { options, wishes }, asking)
  const found = await workOnContent(toSource(page), options, asking)
  const asItCame = { page, found, isRendered: false }
  const isBare = found.words < FEW_WORDS && !found.isTruncated && found.hasScripts
  if (render === 'never' || !asking.ports.browser || !isBare) return asItCame
  try {
    const rendered = await readRendered(page, { options, wishes }, asking)
    return rendered.found.words > found.words ? rendered : asItCame
  } catch (error) {
    if (error instanceof ProblemError) return asItCame
    throw error
  }
}

async function readRendered(
  page: Page,
  { options, wishes }: Omit<Asked, 'render'>,
  asking: Asking,
): Promise<Content> {
  const { browser } = asking.ports
  if (!browser) throw new ProblemError({ code: 'not_configured', detail: 'No browser is configured.' })
  const { url, html, screenshot } = await browser.render(page, asking, wishes)
  const source = { url, contentType: 'text/html; charset=utf-8', body: new TextEncoder().encode(html) }
  const found = await workOnContent(source, options, asking)
  return {
    page: { ...page, finalUrl: url },
    found,
    isRendered: true,
    ...(screenshot !== undefined && { screenshot }),
  }
}
