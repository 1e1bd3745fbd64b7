import { safeUrl } from './document/safe-url.ts'
import { type DeclaredContent, readDeclaredContent } from './head/declared-content.ts'
import { inventoryHead } from './head/head-inventory.ts'
import type { JsonLd } from './head/json-ld.ts'

/** Metadata that a page declares about itself. */
export type PageHead = {
  readonly title: string | null
  readonly byline: string | null
  readonly siteName: string | null
  readonly lang: string | null
  /** ISO 8601, if the page's date can be parsed. */
  readonly publishedAt: string | null
  readonly modifiedAt: string | null
  /** Absolute URL that the page declares as its own. */
  readonly canonicalUrl: string | null
  readonly description: string | null
  readonly image: string | null
  readonly baseUrl: string
  /** Types of the JSON-LD items and the Open Graph type, in lower case. */
  readonly types: readonly string[]
}

const ARTICLE = /(?:article|posting|report|product|recipe|course|question|review)$/i
const MAX_LENGTH = 2_000

/** Reads the head from the most reliable source available: JSON-LD, then Open Graph, then the older tags. */
export function readHead(html: string, url: string): PageHead {
  return readPageHead(html, url).head
}

/** Reads the head, and the content that it repeats. */
export function readPageHead(
  html: string,
  url: string,
): { readonly head: PageHead; readonly declared: DeclaredContent } {
  const inventory = inventoryHead(html, url)
  return { head: toHead(inventory), declared: readDeclaredContent(inventory.jsonLd) }
}

function toHead(inventory: ReturnType<typeof inventoryHead>): PageHead {
  const { meta, jsonLd, links, dates, title, lang, base } = inventory
  const tags = new Map<string, string>()
  for (const { key, content } of Object.values(meta).flat())
    if (content !== '' && !tags.has(key.toLowerCase())) tags.set(key.toLowerCase(), content)
  const tag = (...names: string[]) => names.map((name) => tags.get(name)).find((value) => value !== undefined)
  const things = jsonLd.flatMap(thingsOf)
  const main = things.find((thing) => typesOf(thing).some((type) => ARTICLE.test(type)))
  const of = (name: string) => nameOf(main?.[name])
  const image = tag('og:image', 'og:image:url', 'twitter:image') ?? urlOf(main?.image)
  const canonical = links.find(({ rel }) => rel === 'canonical')?.href ?? tag('og:url')
  return {
    title: clean(tag('og:title') ?? of('headline') ?? tag('twitter:title') ?? title ?? undefined),
    byline: clean(
      of('author') ?? tag('author', 'article:author_name', 'dc.creator', 'parsely-author', 'byl'),
    ),
    siteName: clean(tag('og:site_name', 'application-name') ?? nameOf(main?.publisher)),
    lang: clean(lang ?? tag('og:locale', 'content-language')?.replace('_', '-')),
    publishedAt: toDate(
      of('datePublished') ??
        tag(
          'article:published_time',
          'datepublished',
          'dc.date',
          'dc.date.issued',
          'date',
          'parsely-pub-date',
        ) ??
        dates.published,
    ),
    modifiedAt: toDate(
      of('dateModified') ??
        tag(
          'article:modified_time',
          'og:updated_time',
          'datemodified',
          'dcterms.modified',
          'last-modified',
        ) ??
        dates.modified,
    ),
    canonicalUrl: canonical === undefined ? null : safeUrl(canonical, base),
    description: clean(tag('og:description', 'description', 'twitter:description') ?? of('description')),
    image: image === undefined ? null : safeUrl(image, base),
    baseUrl: base,
    types: [...things.flatMap(typesOf), tag('og:type') ?? '']
      .map((type) => type.toLowerCase())
      .filter(Boolean),
  }
}

type Thing = Readonly<Record<string, unknown>>

const isThing = (value: unknown): value is Thing => typeof value === 'object' && value !== null

function thingsOf(block: JsonLd): Thing[] {
  if (!block.valid) return []
  const top = Array.isArray(block.data) ? block.data : [block.data]
  return top.filter(isThing).flatMap((thing) => {
    const graph = thing['@graph']
    return Array.isArray(graph) ? [thing, ...graph.filter(isThing)] : [thing]
  })
}

function typesOf(thing: Thing): string[] {
  const type = thing['@type']
  return (Array.isArray(type) ? type : [type]).filter((name) => typeof name === 'string')
}

/** A string, the name of an item, or the names of the first few items. */
function nameOf(value: unknown, depth = 0): string | undefined {
  if (typeof value === 'string') return value
  // A person in a list in an item is the deepest nesting in use.
  if (depth > 3) return undefined
  if (Array.isArray(value)) {
    const names = value
      .slice(0, 5)
      .map((item) => nameOf(item, depth + 1))
      .filter((name) => name !== undefined)
    return names.length === 0 ? undefined : names.join(', ')
  }
  return isThing(value) ? nameOf(value.name, depth + 1) : undefined
}

function urlOf(value: unknown): string | undefined {
  const first: unknown = Array.isArray(value) ? value[0] : value
  if (typeof first === 'string') return first
  return isThing(first) && typeof first.url === 'string' ? first.url : undefined
}

function clean(text: string | undefined): string | null {
  const trimmed = text?.replace(/\s+/g, ' ').trim().slice(0, MAX_LENGTH)
  return trimmed ? trimmed : null
}

/** A date without a zone is treated as UTC, so that the result does not depend on the machine. */
function toDate(text: string | null | undefined): string | null {
  if (!text || !/^\d{4}-\d\d-\d\d/.test(text.trim())) return null
  const trimmed = text.trim()
  const hasZone = /(?:z|[+-]\d\d:?\d\d)$/i.test(trimmed) || trimmed.length === 10
  const time = Date.parse(hasZone ? trimmed : `${trimmed}Z`)
  return Number.isNaN(time) ? null : new Date(time).toISOString()
}
