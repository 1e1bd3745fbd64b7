import { findImageKind } from '@tollbook/flow/image-kind'

/** The kinds of documents that are read; everything but `html` becomes blocks without choosing the main content. */
export const DOCUMENT_KINDS = ['html', 'pdf', 'feed', 'json', 'markdown', 'text', 'image'] as const

export type DocumentKind = (typeof DOCUMENT_KINDS)[number]

const BY_TYPE: readonly (readonly [RegExp, DocumentKind])[] = [
  [/^(?:text\/html|application\/xhtml\+xml)$/, 'html'],
  [/^application\/(?:x-)?pdf$/, 'pdf'],
  [/^application\/(?:rss|atom|rdf)\+xml$/, 'feed'],
  [/^(?:application|text)\/(?:json|[\w.-]+\+json)$/, 'json'],
  [/^text\/(?:x-)?markdown$/, 'markdown'],
  [/^image\/(?:png|jpeg|webp|gif|tiff)$/, 'image'],
  [/^text\/(?:plain|csv|tab-separated-values|x-[\w.-]+)$/, 'text'],
]
/** Types that servers send for files that they do not know. */
const UNKNOWN = /^(?:application\/(?:octet-stream|x-download|force-download|download)|binary\/octet-stream)?$/
const FEED = /<(?:rss|feed|rdf:RDF)[\s>]/i
const SNIFFED_BYTES = 1_024

type Source = { readonly url: string; readonly contentType: string; readonly body: Uint8Array }

/** The kind of a document by its `Content-Type`, its name and its first bytes; null if it is none that is read. */
export function documentKindOf({ url, contentType, body }: Source): DocumentKind | null {
  const type = (contentType.split(';', 1)[0] ?? '').trim().toLowerCase()
  const start = Buffer.from(body.subarray(0, SNIFFED_BYTES)).toString('latin1')
  // PDF 32000-1, Annex H.3.4.1: the header may be anywhere in the first kilobyte.
  if (UNKNOWN.test(type)) {
    if (start.includes('%PDF-')) return 'pdf'
    const image = findImageKind(body)
    if (image !== null && image !== 'bmp') return 'image'
    if (FEED.test(start)) return 'feed'
    return /<(?:!doctype html|html)\b/i.test(start) ? 'html' : null
  }
  if (/^(?:application|text)\/xml$/.test(type)) return FEED.test(start) ? 'feed' : null
  const kind = BY_TYPE.find(([form]) => form.test(type))?.[1] ?? null
  return kind === 'text' && /\.(?:md|markdown)$/i.test(URL.parse(url)?.pathname ?? '') ? 'markdown' : kind
}
