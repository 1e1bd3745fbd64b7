import type { Tweet } from '../../model.ts'
import { kindOf } from './at-uri.ts'
import type { IdOf } from './known-ids.ts'
import { type Facet, parseFacet } from './views.ts'

type Entities = NonNullable<Tweet['entities']>
type Span = { readonly start: number; readonly end: number; readonly shown: string }

/**
 * The facets of a text, with offsets in code points instead of UTF-8 bytes. Facets that end outside of the
 * text or within a character are omitted, as https://docs.bsky.app/docs/advanced-guides/post-richtext
 * requires. Undefined if there are none.
 */
export function toEntities(text: string, provided: readonly unknown[], idOf: IdOf): Entities | undefined {
  const offsets = offsetsOf(text)
  const points = [...text]
  const marks = provided
    .map(parseFacet)
    .flatMap((facet) => (facet ? toMarks(facet, offsets, points) : []))
    .sort((one, other) => one.span.start - other.span.start)
  const entities: Entities = {
    ...some('hashtags', marks.flatMap(toHashtag)),
    ...some('cashtags', marks.flatMap(toCashtag)),
    ...some(
      'mentions',
      marks.flatMap((mark) => toMention(mark, idOf)),
    ),
    ...some('urls', marks.flatMap(toUrl)),
  }
  return Object.keys(entities).length > 0 ? entities : undefined
}

type Mark = { readonly span: Span; readonly feature: Facet['features'][number] }

/** Maps the byte offset of each character, and of the end, to the number of preceding characters. */
function offsetsOf(text: string): ReadonlyMap<number, number> {
  const offsets = new Map([[0, 0]])
  let bytes = 0
  for (const [at, point] of [...text].entries()) {
    bytes += Buffer.byteLength(point)
    offsets.set(bytes, at + 1)
  }
  return offsets
}

function toMarks(
  { index, features }: Facet,
  offsets: ReadonlyMap<number, number>,
  points: readonly string[],
): Mark[] {
  const start = offsets.get(index.byteStart)
  const end = offsets.get(index.byteEnd)
  if (start === undefined || end === undefined || start >= end) return []
  const span = { start, end, shown: points.slice(start, end).join('') }
  return features.map((feature) => ({ span, feature }))
}

function toHashtag({ span: { start, end }, feature }: Mark) {
  if (feature.$type !== 'app.bsky.richtext.facet#tag' || !feature.tag || feature.tag.startsWith('$'))
    return []
  return [{ start, end, tag: feature.tag }]
}

/** The site marks `$TICK` as a tag that includes its `$`. */
function toCashtag({ span: { start, end }, feature }: Mark) {
  if (feature.$type !== 'app.bsky.richtext.facet#tag' || !feature.tag?.startsWith('$')) return []
  return [{ start, end, tag: feature.tag.slice(1) }]
}

function toMention({ span: { start, end, shown }, feature }: Mark, idOf: IdOf) {
  if (feature.$type !== 'app.bsky.richtext.facet#mention' || kindOf(feature.did ?? '') !== 'user') return []
  return [{ start, end, username: shown.replace(/^[@＠]/, ''), id: idOf(feature.did ?? '') }]
}

function toUrl({ span: { start, end, shown }, feature }: Mark) {
  if (feature.$type !== 'app.bsky.richtext.facet#link' || !feature.uri) return []
  return [{ start, end, url: feature.uri, expanded_url: feature.uri, display_url: shown }]
}

function some<Name extends keyof Entities, Item>(name: Name, items: readonly Item[]) {
  return items.length > 0 ? { [name]: items } : {}
}
