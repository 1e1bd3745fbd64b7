import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { type HeadInventory, inventoryHead } from '@tollbook/extract/head/head-inventory'
import { loadPackage, printFigure, type Suite, showProgress } from './suite.ts'

const URL_OF_PAGE = 'https://example.com/a/page.html'
/** The tags of Open Graph and Twitter that SEO tools show, and where `open-graph-scraper` has each. */
const TAGS: Readonly<Record<string, string>> = {
  'og:title': 'ogTitle',
  'og:description': 'ogDescription',
  'og:url': 'ogUrl',
  'og:type': 'ogType',
  'og:site_name': 'ogSiteName',
  'og:locale': 'ogLocale',
  'og:image': 'ogImage',
  'article:published_time': 'articlePublishedTime',
  'twitter:card': 'twitterCard',
  'twitter:title': 'twitterTitle',
  'twitter:site': 'twitterSite',
}

/** The heads of real pages, judged by the document that the parser of the HTML standard makes of them. */
export const head: Suite = {
  name: 'head',
  summary: 'titles, canonical URLs, meta tags and JSON-LD of pages, next to open-graph-scraper',
  async run({ folder, every }) {
    const { JSDOM, VirtualConsole } = loadPackage<Jsdom>(folder, 'jsdom')
    const scrape = loadPackage<Scraper>(folder, 'open-graph-scraper')
    const pages = join(folder, 'web-content-extraction-benchmark', 'dev', 'html')
    const files = (await readdir(pages)).sort().filter((_, at) => at % (every * 5) === 0)
    const counts = new Map<string, Count>()
    for (const [at, file] of files.entries()) {
      const html = gunzipSync(await readFile(join(pages, file))).toString('utf8')
      const { document } = new JSDOM(html, { url: URL_OF_PAGE, virtualConsole: new VirtualConsole() }).window
      const own = inventoryHead(html, URL_OF_PAGE)
      const { result } = await scrape({ html }).catch(() => ({ result: {} as Scraped }))
      for (const one of compare(document, own, result)) count(counts, one, file)
      showProgress('head', at + 1, files.length)
    }
    for (const [figure, { own, peer, all }] of counts)
      printFigure({
        suite: 'head',
        figure,
        value: own,
        of: all,
        ...(peer !== null && { published: { 'open-graph-scraper': peer } }),
      })
  },
}

type Count = { own: number; peer: number | null; all: number }
/** A value of the document, and what each reader has; a peer that never reads it is undefined. */
type Compared = {
  readonly figure: string
  readonly truth: string
  readonly own: string
  readonly peer?: string
}

function* compare(document: Dom, own: HeadInventory, peer: Scraped): Generator<Compared> {
  const ours = new Map<string, string>()
  for (const { key, content } of Object.values(own.meta).flat())
    if (!ours.has(key.toLowerCase())) ours.set(key.toLowerCase(), content)
  yield { figure: 'titles', truth: document.title, own: own.title ?? '' }
  const canonical = document.querySelector('link[rel~="canonical" i][href]')
  const ownCanonical = own.links.find(({ rel }) => rel.toLowerCase().split(/\s+/).includes('canonical'))
  yield { figure: 'canonical URLs', truth: canonical?.href ?? '', own: ownCanonical?.href ?? '' }
  const description = document.querySelector('meta[name="description" i]')
  yield { figure: 'descriptions', truth: description?.content ?? '', own: ours.get('description') ?? '' }
  yield { figure: 'languages', truth: document.documentElement.lang ?? '', own: own.lang ?? '' }
  for (const [tag, name] of Object.entries(TAGS)) {
    const element = document.querySelector(
      `meta[property="${tag}" i], meta[name="${tag}" i], meta[itemprop="${tag}" i]`,
    )
    const read = peer[name]
    const first = Array.isArray(read) ? read[0]?.url : read
    yield {
      figure: 'Open Graph and Twitter tags',
      truth: element?.content ?? '',
      own: ours.get(tag) ?? '',
      peer: String(first ?? ''),
    }
  }
  const scripts = [...document.querySelectorAll('script[type="application/ld+json" i]')]
  const blocks = scripts.map(({ textContent }) => toJson(textContent))
  yield {
    figure: 'pages with JSON-LD, of which each block is read or reported as broken',
    truth: blocks.map((block) => block ?? 'broken').join('\n'),
    own: own.jsonLd.map((one) => (one.valid ? JSON.stringify(one.data) : 'broken')).join('\n'),
    peer: (Array.isArray(peer.jsonLD) ? peer.jsonLD : []).map((one) => JSON.stringify(one)).join('\n'),
  }
}

function count(counts: Map<string, Count>, { figure, truth, own, peer }: Compared, file: string): void {
  if (tidy(truth) === '') return
  const entry = counts.get(figure) ?? { own: 0, peer: peer === undefined ? null : 0, all: 0 }
  counts.set(figure, entry)
  entry.all += 1
  if (tidy(own) === tidy(truth)) entry.own += 1
  else process.stderr.write(`${file}: ${figure}: ${brief(own)} instead of ${brief(truth)}\n`)
  if (peer !== undefined && entry.peer !== null && tidy(peer) === tidy(truth)) entry.peer += 1
}

const tidy = (text: string) => text.replace(/\s+/g, ' ').trim()
const brief = (text: string) => JSON.stringify(tidy(text).slice(0, 120))

function toJson(text: string): string | null {
  try {
    return JSON.stringify(JSON.parse(text))
  } catch {
    return null
  }
}

type Scraped = Readonly<Record<string, string | readonly { readonly url?: string }[] | undefined>>
/** The part of the package `open-graph-scraper` that is used. */
type Scraper = (options: { readonly html: string }) => Promise<{ readonly result: Scraped }>
/** The part of the DOM that is used. */
type Dom = {
  readonly title: string
  readonly documentElement: DomElement
  querySelector(selector: string): DomElement | null
  querySelectorAll(selector: string): Iterable<DomElement>
}
type DomElement = {
  readonly content?: string
  readonly href?: string
  readonly lang?: string
  readonly textContent: string
}
/** The part of the package `jsdom` that is used. */
type Jsdom = {
  readonly JSDOM: new (
    html: string,
    options: { readonly url: string; readonly virtualConsole: object },
  ) => { readonly window: { readonly document: Dom } }
  readonly VirtualConsole: new () => object
}
