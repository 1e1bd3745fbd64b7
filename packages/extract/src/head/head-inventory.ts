import { Parser } from 'htmlparser2'
import { type JsonLd, readJsonLd } from './json-ld.ts'

export type LinkTag = {
  readonly rel: string
  /** Absolute, if it can be resolved. */
  readonly href: string
  readonly type: string | null
  readonly sizes: string | null
  readonly hreflang: string | null
  readonly title: string | null
}

/** All metadata in the head of a page, in document order, repetitions included. */
export type HeadInventory = {
  readonly title: string | null
  /** As declared by the page. */
  readonly charset: string | null
  readonly lang: string | null
  /** Base for relative URLs. */
  readonly base: string
  readonly meta: Readonly<Record<MetaFamily, readonly MetaTag[]>>
  readonly links: readonly LinkTag[]
  readonly jsonLd: readonly JsonLd[]
  /** Dates in the text, as written there. */
  readonly dates: { readonly published: string | null; readonly modified: string | null }
}

type MetaTag = { readonly key: string; readonly content: string }

type MetaFamily = 'open_graph' | 'twitter' | 'dublin_core' | 'named' | 'http_equiv' | 'itemprop' | 'other'

/** Tags of one kind beyond this are counted and omitted. */
export const MAX_TAGS = 1_000
const MAX_TITLE_LENGTH = 10_000

/** Prefixes of Open Graph (ogp.me) and of vocabularies that extend it. */
const OPEN_GRAPH = /^(?:og|article|book|profile|music|video|product|fb|al):/i
const TWITTER = /^twitter:/i
const DUBLIN_CORE = /^dc(?:terms)?[.:]/i

/** Reads the tags of a page; malformed markup is accepted. */
export function inventoryHead(html: string, url: string): HeadInventory {
  const meta: Record<MetaFamily, MetaTag[]> = {
    open_graph: [],
    twitter: [],
    dublin_core: [],
    named: [],
    http_equiv: [],
    itemprop: [],
    other: [],
  }
  const found = { title: null as string | null, charset: null as string | null, lang: null as string | null }
  const links: LinkTag[] = []
  const jsonLd: JsonLd[] = []
  const dates = { published: null as string | null, modified: null as string | null }
  const times = new Set<string>()
  let base = url
  let isBaseKnown = false
  let foreignDepth = 0
  let text: string | null = null

  const parser = new Parser({
    onopentag(name, attributes) {
      // An SVG has its own titles.
      if (name === 'svg' || name === 'math') foreignDepth += 1
      if (foreignDepth > 0) return
      if (name === 'html') found.lang ??= cleanOf(attributes.lang ?? attributes['xml:lang'])
      if (name === 'title' && found.title === null) text = ''
      if (name === 'base' && !isBaseKnown && attributes.href !== undefined) {
        base = URL.parse(attributes.href, url)?.href ?? url
        isBaseKnown = true
      }
      const date = cleanOf(attributes.datetime ?? attributes.content)
      if (attributes.itemprop === 'datePublished' || attributes.pubdate !== undefined)
        dates.published ??= date
      if (attributes.itemprop === 'dateModified') dates.modified ??= date
      if (name === 'time' && date !== null && times.size < 2) times.add(date)
      if (name === 'meta') {
        found.charset ??= cleanOf(attributes.charset)
        for (const { family, ...tag } of toMetaTags(attributes))
          if (meta[family].length < MAX_TAGS) meta[family].push(tag)
      }
      if (name === 'link' && links.length < MAX_TAGS) links.push(...toLinks(attributes, base))
      if (name === 'script' && /^application\/ld\+json\b/i.test(attributes.type?.trim() ?? '')) text = ''
    },
    ontext(piece) {
      if (text !== null) text += piece
    },
    onclosetag(name) {
      if (name === 'svg' || name === 'math') foreignDepth = Math.max(0, foreignDepth - 1)
      if (text === null) return
      if (name === 'title') found.title = text.replace(/\s+/g, ' ').trim().slice(0, MAX_TITLE_LENGTH)
      if (name === 'script' && jsonLd.length < MAX_TAGS) jsonLd.push(readJsonLd(text))
      if (name === 'title' || name === 'script') text = null
    },
  })
  parser.end(html)
  // Several different times belong to other articles or to events.
  const [only = null] = times.size === 1 ? times : []
  return { ...found, base, meta, links, jsonLd, dates: { ...dates, published: dates.published ?? only } }
}

/** One record per relation: `rel="shortcut icon"` has two. */
function toLinks(attributes: Readonly<Record<string, string>>, base: string): readonly LinkTag[] {
  const href = attributes.href?.trim()
  if (href === undefined || href === '') return []
  const relations = (attributes.rel ?? '').toLowerCase().split(/\s+/)
  return relations
    .filter((rel) => rel !== '')
    .map((rel) => ({
      rel,
      href: URL.parse(href, base)?.href ?? href,
      type: cleanOf(attributes.type),
      sizes: cleanOf(attributes.sizes),
      hreflang: cleanOf(attributes.hreflang),
      title: cleanOf(attributes.title),
    }))
}

function cleanOf(value: string | undefined): string | null {
  const clean = value?.trim() ?? ''
  return clean === '' ? null : clean
}

/**
 * A `<meta>` tag and its family, once for each different name: `name="description" property="og:description"` has two.
 * One without a name, such as `<meta charset>`, is read separately.
 */
function toMetaTags(
  attributes: Readonly<Record<string, string>>,
): readonly (MetaTag & { readonly family: MetaFamily })[] {
  const content = attributes.content?.trim()
  if (content === undefined) return []
  const httpEquiv = attributes['http-equiv']?.trim()
  if (httpEquiv) return [{ family: 'http_equiv', key: httpEquiv.toLowerCase(), content }]
  // Pages use either attribute for Twitter and Open Graph tags.
  const property = attributes.property?.trim() ?? ''
  const name = attributes.name?.trim() ?? ''
  const keys = [property, name === property ? '' : name].filter((key) => key !== '')
  if (keys.length > 0) return keys.map((key) => ({ family: familyOf(key, key === property), key, content }))
  const itemprop = attributes.itemprop?.trim()
  return itemprop ? [{ family: 'itemprop', key: itemprop, content }] : []
}

function familyOf(key: string, isProperty: boolean): MetaFamily {
  if (OPEN_GRAPH.test(key)) return 'open_graph'
  if (TWITTER.test(key)) return 'twitter'
  if (DUBLIN_CORE.test(key)) return 'dublin_core'
  return isProperty ? 'other' : 'named'
}
