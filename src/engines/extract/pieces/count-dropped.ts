import type { Element } from 'domhandler'
import { elementsAround } from './find-groups.ts'
import type { PreparedPage } from './prepare-page.ts'

/** What was left out of a page, by kind. */
export type Dropped = {
  readonly words: number
  readonly headings: number
  /** Lists and definition lists, nested ones too, of which nothing or not everything is left. */
  readonly lists: number
  readonly tables: number
  /** Code listings. */
  readonly code: number
  readonly images: number
}

const KINDS: Readonly<Record<string, 'lists' | 'tables' | 'code'>> = {
  ul: 'lists',
  ol: 'lists',
  menu: 'lists',
  dl: 'lists',
  table: 'tables',
  pre: 'code',
}

/** Counts the pieces that are not kept, and the elements that contain any of them. @param images dropped */
export function countDropped(page: PreparedPage, isKept: readonly boolean[], images: number): Dropped {
  const found = { lists: new Set<Element>(), tables: new Set<Element>(), code: new Set<Element>() }
  let [words, headings] = [0, 0]
  for (const [at, { block }] of page.pieces.entries()) {
    if (isKept[at]) continue
    words += page.counts[at] ?? 0
    if ((page.levels[at] ?? 0) > 0) headings += 1
    for (const element of elementsAround(block)) {
      const kind = KINDS[element.name]
      if (kind !== undefined) found[kind].add(element)
    }
  }
  return {
    words,
    headings,
    lists: found.lists.size,
    tables: found.tables.size,
    code: found.code.size,
    images,
  }
}
