import type { Element } from 'domhandler'
import { wordsOf } from '../tree/page-tree.ts'
import { holdsOnScreen } from './media.ts'
import { type CssDeclaration, parseStyleAttribute, type StyleRule } from './parse-sheet.ts'
import type { CompiledSelector } from './selector.ts'

/** The winning declaration for one property of an element. */
export type Declared = {
  readonly value: string
  readonly isImportant: boolean
  /** Whether it is in the `style` attribute. */
  readonly isInline: boolean
}

export type Cascade = (element: Element) => ReadonlyMap<string, Declared>

type Candidate = {
  readonly selector: CompiledSelector
  readonly declarations: readonly CssDeclaration[]
  readonly order: number
}

/**
 * Indexes the rules of all sheets by selector key, so that each element is matched only against rules that
 * can apply to it.
 */
export function createCascade(rules: readonly StyleRule[]): Cascade {
  const byKey = new Map<string, Candidate[]>()
  rules.forEach(({ selectors, declarations, media }, order) => {
    if (!media.every(holdsOnScreen)) return
    for (const selector of selectors) {
      const candidate = { selector, declarations, order }
      const bucket = byKey.get(selector.key)
      if (bucket) bucket.push(candidate)
      else byKey.set(selector.key, [candidate])
    }
  })
  return (element) => {
    const keys = ['*', element.name, ...wordsOf(element, 'class').map((name) => `.${name}`)]
    if (element.attribs.id !== undefined) keys.push(`#${element.attribs.id}`)
    const matching = [...new Set(keys)]
      .flatMap((key) => byKey.get(key) ?? [])
      .filter(({ selector }) => selector.matches(element))
      .sort((a, b) => a.selector.specificity - b.selector.specificity || a.order - b.order)
    const winners = new Map<string, Declared>()
    const apply = (declarations: readonly CssDeclaration[], isInline: boolean) => {
      for (const { property, value, isImportant } of declarations)
        if (isImportant || !winners.get(property)?.isImportant)
          winners.set(property, { value, isImportant, isInline })
    }
    for (const { declarations } of matching) apply(declarations, false)
    if (element.attribs.style !== undefined) apply(parseStyleAttribute(element.attribs.style), true)
    return winners
  }
}
