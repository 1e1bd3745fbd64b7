import type { Element } from 'domhandler'
import { createNames } from './aria/accessible-name.ts'
import { isFocusable, isTabbable, semanticRole } from './aria/role.ts'
import { createPresence, type Presence } from './aria/visibility.ts'
import { createCascade } from './css/cascade.ts'
import { createStyles, type Style } from './css/computed-style.ts'
import { createGeneratedText } from './css/generated-content.ts'
import { parseSheet, type StyleRule } from './css/parse-sheet.ts'
import { type PageTree, parsePage, rawTextOf, token, wordsOf } from './tree/page-tree.ts'

/** A page as the rules query it; every result is computed once and cached. */
export type PageModel = Presence & {
  readonly tree: PageTree
  readonly url: string
  readonly elements: readonly Element[]
  readonly styleRules: readonly StyleRule[]
  /** Whether every linked sheet was read; otherwise colours are uncertain. */
  readonly hasAllStyles: boolean
  readonly styleOf: (element: Element) => Style
  readonly roleOf: (element: Element) => string | null
  readonly nameOf: (element: Element) => string
  readonly isFocusable: (element: Element) => boolean
  readonly isTabbable: (element: Element) => boolean
}

type Options = {
  readonly html: string
  readonly url: string
  /** Texts of linked sheets by absolute URL. */
  readonly sheets?: ReadonlyMap<string, string>
}

export function createPageModel({ html, url, sheets = new Map() }: Options): PageModel {
  const tree = parsePage(html)
  const styles = gatherStyles(tree, url, sheets)
  const cascade = createCascade(styles.rules)
  const styleOf = createStyles(cascade)
  const generatedOf = createGeneratedText(cascade, styleOf)
  const presence = createPresence(styleOf)
  const roles = new WeakMap<Element, { readonly role: string | null }>()
  const roleOf = (element: Element) => {
    const entry = roles.get(element) ?? { role: semanticRole(element, presence) }
    roles.set(element, entry)
    return entry.role
  }
  return {
    ...presence,
    tree,
    url,
    elements: tree.elements,
    styleRules: styles.rules,
    hasAllStyles: styles.isComplete,
    styleOf,
    roleOf,
    nameOf: createNames({ tree, presence, styleOf, generatedOf, roleOf }),
    isFocusable: (element) => isFocusable(element, presence),
    isTabbable: (element) => isTabbable(element, presence),
  }
}

/** Absolute URLs of the sheets that apply to a screen, in document order, without duplicates. */
export function findSheets({ elements }: PageTree, url: string): readonly string[] {
  const found = elements.filter(isSheetLink).map((element) => resolve(element, url))
  return [...new Set(found.filter((one) => one !== null))]
}

function gatherStyles(
  { elements }: PageTree,
  url: string,
  sheets: ReadonlyMap<string, string>,
): { readonly rules: readonly StyleRule[]; readonly isComplete: boolean } {
  const rules: StyleRule[] = []
  let isComplete = true
  for (const element of elements) {
    const media = element.attribs.media
    const condition = media === undefined ? [] : [media]
    const add = (text: string) => {
      if (/@import\b/i.test(text)) isComplete = false
      rules.push(...parseSheet(text).map((rule) => ({ ...rule, media: [...condition, ...rule.media] })))
    }
    if (element.name === 'style') add(rawTextOf(element))
    else if (isSheetLink(element)) {
      const text = sheets.get(resolve(element, url) ?? '')
      if (text === undefined) isComplete = false
      else add(text)
    }
  }
  return { rules, isComplete }
}

function isSheetLink(element: Element): boolean {
  if (element.name !== 'link' || element.attribs.href === undefined) return false
  const relations = wordsOf(element, 'rel').map((word) => word.toLowerCase())
  return (
    relations.includes('stylesheet') &&
    !relations.includes('alternate') &&
    token(element, 'media') !== 'print'
  )
}

function resolve(element: Element, url: string): string | null {
  return URL.parse(element.attribs.href ?? '', url)?.href ?? null
}
