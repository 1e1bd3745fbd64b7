import type { Element } from 'domhandler'
import { childrenOf, descendantsOf, type PageTree, token, wordsOf } from '../tree/page-tree.ts'

type Sources = {
  readonly tree: PageTree
  readonly roleOf: (element: Element) => string | null
  /** The name of a chosen option. */
  readonly nameOf: (option: Element) => string
  /** The text below an element, without its own name. */
  readonly contentOf: (element: Element) => string
}

/** Roles with a number as their value (WAI-ARIA 1.2, abstract role `range`, and `spinbutton`). */
const RANGES = new Set(['meter', 'progressbar', 'scrollbar', 'slider', 'spinbutton'])

/**
 * What a control contributes to the name of another element that contains it: its value instead of its own
 * name (Accessible Name and Description Computation 1.2, step 2C). Null if the element is no such control.
 */
export function embeddedValue(element: Element, sources: Sources): string | null {
  const role = sources.roleOf(element)
  const { attribs, name } = element
  if (role === 'textbox' || role === 'searchbox')
    return name === 'input' ? (attribs.value ?? '') : sources.contentOf(element)
  if (role === 'combobox') return comboboxValue(element, sources)
  if (role === 'listbox') return chosenOf(element, sources)
  if (RANGES.has(role ?? ''))
    return attribs['aria-valuetext'] ?? attribs['aria-valuenow'] ?? attribs.value ?? ''
  // A menu has commands and no value: https://github.com/w3c/accname/issues/67
  return role === 'menu' ? '' : null
}

/** The option chosen in its list; without one, the text of its field, as authors show the choice there. */
function comboboxValue(element: Element, sources: Sources): string {
  if (element.name === 'input') return element.attribs.value ?? ''
  if (element.name === 'select') return chosenOf(element, sources)
  const list = belowOf(element, sources.tree).find((one) => sources.roleOf(one) === 'listbox')
  const chosen = list ? chosenOf(list, sources) : ''
  return chosen === '' ? sources.contentOf(element) : chosen
}

function chosenOf(list: Element, { tree, roleOf, nameOf }: Sources): string {
  if (list.name === 'select') return selectedOf(list).map(nameOf).join(' ')
  return belowOf(list, tree)
    .filter((one) => roleOf(one) === 'option' && token(one, 'aria-selected') === 'true')
    .map(nameOf)
    .join(' ')
}

/** A list without a selected option shows the first that is not disabled, unless several can be chosen (HTML). */
function selectedOf(select: Element): readonly Element[] {
  const options = [...optionsOf(select)]
  const selected = options.filter(({ attribs }) => attribs.selected !== undefined)
  if (select.attribs.multiple !== undefined) return selected
  const isDropDown = Number(select.attribs.size ?? 1) <= 1
  const shown = selected.at(-1) ?? (isDropDown ? firstEnabled(options) : undefined)
  return shown ? [shown] : []
}

function firstEnabled(options: readonly Element[]): Element | undefined {
  return options.find(({ attribs }) => attribs.disabled === undefined)
}

function* optionsOf(element: Element): Generator<Element> {
  for (const child of childrenOf(element)) {
    if (child.name === 'option') yield child
    else yield* optionsOf(child)
  }
}

/** The elements below an element and below those that it owns. */
function belowOf(element: Element, { byId }: PageTree): readonly Element[] {
  const owned = [element, ...descendantsOf(element)]
    .flatMap((one) => wordsOf(one, 'aria-owns'))
    .flatMap((id) => byId.get(id)?.[0] ?? [])
  return [...descendantsOf(element), ...owned.flatMap((one) => [one, ...descendantsOf(one)])]
}
