import type { Element } from 'domhandler'
import { wordsOf } from '../tree/page-tree.ts'
import { holdsOnScreen } from './media.ts'
import { type CssDeclaration, parseStyleAttribute, type StyleRule } from './parse-sheet.ts'
import type { CompiledSelector, Pseudo } from './selector.ts'

/** The winning declaration for one property of an element. */
export type Declared = {
  readonly value: string
  readonly isImportant: boolean
  /** Whether it is in the `style` attribute. */
  readonly isInline: boolean
}

/** Winning declarations by property, of an element or of a box that is generated in it. */
export type Cascade = (element: Element, pseudo?: Pseudo) => ReadonlyMap<string, Declared>

type Candidate = {
  readonly selector: CompiledSelector
  readonly declarations: readonly CssDeclaration[]
  readonly order: number
}

/** Those that decide about the text of a generated box; rules without one are not indexed for it. */
const OF_GENERATED = new Set(['content', 'display', 'visibility'])
const NOTHING: ReadonlyMap<string, Declared> = new Map()

/**
 * Indexes the rules of all sheets by selector key, so that each element is matched only against rules that
 * can apply to it.
 */
export function createCascade(rules: readonly StyleRule[]): Cascade {
  const ofElements = new Map<string, Candidate[]>()
  const ofPseudo = { before: new Map<string, Candidate[]>(), after: new Map<string, Candidate[]>() }
  rules.forEach(({ selectors, declarations, media }, order) => {
    if (!media.every(holdsOnScreen)) return
    const isOfGenerated = declarations.some(({ property }) => OF_GENERATED.has(property))
    for (const selector of selectors) {
      if (selector.pseudo !== null && !isOfGenerated) continue
      const byKey = selector.pseudo === null ? ofElements : ofPseudo[selector.pseudo]
      const candidate = { selector, declarations, order }
      const bucket = byKey.get(selector.key)
      if (bucket) bucket.push(candidate)
      else byKey.set(selector.key, [candidate])
    }
  })
  return (element, pseudo) => {
    const byKey = pseudo === undefined ? ofElements : ofPseudo[pseudo]
    const matching = matchesOf(element, byKey)
    if (pseudo !== undefined && matching.length === 0) return NOTHING
    const winners = new Map<string, Declared>()
    const apply = (declarations: readonly CssDeclaration[], isInline: boolean) => {
      for (const { property, value, isImportant } of declarations)
        if (isImportant || !winners.get(property)?.isImportant)
          winners.set(property, { value, isImportant, isInline })
    }
    for (const { declarations } of matching) apply(declarations, false)
    if (pseudo === undefined && element.attribs.style !== undefined)
      apply(parseStyleAttribute(element.attribs.style), true)
    return winners
  }
}

/** The candidates that match, by rising precedence. */
function matchesOf(element: Element, byKey: ReadonlyMap<string, readonly Candidate[]>): readonly Candidate[] {
  const found: Candidate[] = []
  const add = (key: string) => {
    for (const one of byKey.get(key) ?? []) if (one.selector.matches(element)) found.push(one)
  }
  if (byKey.size === 0) return found
  add('*')
  add(element.name)
  for (const name of new Set(wordsOf(element, 'class'))) add(`.${name}`)
  if (element.attribs.id !== undefined) add(`#${element.attribs.id}`)
  return found.sort((a, b) => a.selector.specificity - b.selector.specificity || a.order - b.order)
}
