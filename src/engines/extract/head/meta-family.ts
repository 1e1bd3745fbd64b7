export type MetaTag = { readonly key: string; readonly content: string }

export type MetaFamily =
  | 'open_graph'
  | 'twitter'
  | 'dublin_core'
  | 'named'
  | 'http_equiv'
  | 'itemprop'
  | 'other'

/** Prefixes of Open Graph (ogp.me) and of vocabularies that extend it. */
const OPEN_GRAPH = /^(?:og|article|book|profile|music|video|product|fb|al):/i
const TWITTER = /^twitter:/i
const DUBLIN_CORE = /^dc(?:terms)?[.:]/i

/**
 * The family of a `<meta>` tag; null for one without a name, such as `<meta charset>`, which is read
 * separately.
 */
export function toMetaTag(
  attributes: Readonly<Record<string, string>>,
): (MetaTag & { readonly family: MetaFamily }) | null {
  const content = attributes.content?.trim()
  if (content === undefined) return null
  const httpEquiv = attributes['http-equiv']?.trim()
  if (httpEquiv) return { family: 'http_equiv', key: httpEquiv.toLowerCase(), content }
  // Pages use either attribute for Twitter and Open Graph tags.
  const key = (attributes.property ?? attributes.name)?.trim()
  if (key) return { family: familyOf(key, attributes.property !== undefined), key, content }
  const itemprop = attributes.itemprop?.trim()
  return itemprop ? { family: 'itemprop', key: itemprop, content } : null
}

function familyOf(key: string, isProperty: boolean): MetaFamily {
  if (OPEN_GRAPH.test(key)) return 'open_graph'
  if (TWITTER.test(key)) return 'twitter'
  if (DUBLIN_CORE.test(key)) return 'dublin_core'
  return isProperty ? 'other' : 'named'
}
