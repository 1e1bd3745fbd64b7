import type { ChildNode, Element } from 'domhandler'
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
  /** Formulas in what was left out, and those of which nothing can be read. */
  readonly formulas: number
}

/** What is missing of a page of which nothing is left out; null if nothing is. */
export function countUnread(formulas: number): Dropped | null {
  if (formulas === 0) return null
  return { words: 0, headings: 0, lists: 0, tables: 0, code: 0, images: 0, formulas }
}

const KINDS: Readonly<Record<string, 'lists' | 'tables' | 'code'>> = {
  ul: 'lists',
  ol: 'lists',
  menu: 'lists',
  dl: 'lists',
  table: 'tables',
  pre: 'code',
}

/** Images that were dropped, and formulas that cannot be read. */
type Removed = { readonly images: number; readonly formulas: number }

/** Counts the pieces that are not kept, and the elements that contain any of them. */
export function countDropped(page: PreparedPage, isKept: readonly boolean[], removed: Removed): Dropped {
  const found = { lists: new Set<Element>(), tables: new Set<Element>(), code: new Set<Element>() }
  let [words, headings, formulas] = [0, 0, removed.formulas]
  for (const [at, { block, nodes }] of page.pieces.entries()) {
    if (isKept[at]) continue
    words += page.counts[at] ?? 0
    if ((page.levels[at] ?? 0) > 0) headings += 1
    formulas += nodes.filter(isInFormula).length
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
    images: removed.images,
    formulas,
  }
}

function isInFormula({ parent }: ChildNode): boolean {
  return parent !== null && 'name' in parent && parent.name === 'math'
}
