import { Readability } from '@mozilla/readability'
import { readMetadata } from '@tollbook/utility/endpoints/api/seo/metadata/read-metadata'
import { summarizePage } from '@tollbook/utility/endpoints/api/summarize/summarize-page'
import { extractContent } from '@tollbook/utility/page/content/extract-content'
import { decodeHtml } from '@tollbook/utility/page/decode-html'
import type { PageSource } from '@tollbook/utility/page/read-page'
import { parseHTML } from 'linkedom'
import { type Contest, timed } from './contest.ts'
import type { Pages } from './pages.ts'

const SENTENCES = 2
const CONTENT = {
  isMainOnly: true,
  mayTakeLong: true,
  includeLinks: true,
  includeImages: true,
  format: 'markdown',
  maxChars: 100_000,
} as const

/** Each job of a page endpoint, from bytes to its result, in one thread. */
export function pageContests({ from, pages }: Pages): readonly Contest<PageSource>[] {
  const common = { unit: 'pages/s', items: pages, setting: { from } }
  return [
    {
      ...common,
      figure: '/api/scrape, from bytes to Markdown',
      ours: timed((source) => extractContent({ source, options: CONTENT })),
      peer: { name: 'readability 0.6.0 on linkedom, to HTML', side: timed(readArticle) },
    },
    {
      ...common,
      figure: '/api/seo/metadata, from bytes to the inventory',
      ours: timed(readMetadata),
      peer: { name: 'linkedom 0.18.12, head read by selectors', side: timed(readHeadElements) },
    },
    {
      ...common,
      figure: '/api/summarize, from bytes to two sentences',
      ours: timed((source) => summarizePage({ source, sentences: SENTENCES, sources: 0 })),
      peer: { name: 'readability 0.6.0 on linkedom, first two sentences', side: timed(leadOf) },
    },
  ]
}

type Document = ConstructorParameters<typeof Readability>[0]

function open({ body, contentType }: PageSource): Document {
  // linkedom's types depend on TypeScript's DOM library, which this project does not include.
  return (parseHTML(decodeHtml(body, contentType).text) as unknown as { readonly document: Document })
    .document
}

function readArticle(source: PageSource) {
  return new Readability(open(source)).parse()
}

/**
 * Much less than an inventory: no families, no order of duplicates across kinds, JSON-LD only where it can be
 * read.
 */
function readHeadElements(source: PageSource) {
  const document = open(source)
  const read = (selector: string, ...names: string[]) =>
    [...document.querySelectorAll(selector)].map((element) => names.map((name) => element.getAttribute(name)))
  return {
    title: document.querySelector('title')?.textContent,
    meta: read('meta', 'name', 'property', 'http-equiv', 'itemprop', 'content'),
    links: read('link', 'rel', 'href', 'type', 'sizes', 'hreflang', 'title'),
    jsonLd: [...document.querySelectorAll('script[type="application/ld+json"]')].map(({ textContent }) => {
      try {
        return JSON.parse(textContent ?? '')
      } catch {
        return null
      }
    }),
  }
}

function leadOf(source: PageSource): string {
  const text = readArticle(source)?.textContent ?? ''
  const segments = new Intl.Segmenter('en', { granularity: 'sentence' }).segment(text)
  return [...segments]
    .slice(0, SENTENCES)
    .map(({ segment }) => segment)
    .join('')
}
