import { allMatches } from './all-matches.ts'
import type { TextSpan } from './text-span.ts'

const CASHTAG = /(?<=^|[\s\u00a0\u3000])\$(?<tag>[a-z]{1,6}(?:[._][a-z]{1,2})?)(?=$|\s|[^\p{L}\p{N}])/giu

/** The cashtags of a text, in order; the span includes the `$`. */
export function findCashtags(text: string): (TextSpan & { readonly tag: string })[] {
  return allMatches(CASHTAG, text).map(({ index, 0: whole, groups }) => ({
    start: index,
    end: index + whole.length,
    tag: groups?.tag ?? '',
  }))
}
