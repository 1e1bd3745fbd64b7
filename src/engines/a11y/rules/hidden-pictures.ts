import type { Element } from 'domhandler'
import { isPresentational } from '../aria/role.ts'
import type { PageModel } from '../page-model.ts'
import { findDrawnWords } from '../pictures/drawn-words.ts'
import { fail, type Outcome, pass, type Rule, review } from '../rule.ts'
import { collapse, parentOf, textOf, token } from '../tree/page-tree.ts'

/** A visible image that its author hides from screen readers. */
function isHiddenPicture(element: Element, page: PageModel): boolean {
  if (element.name !== 'img' || !page.isVisible(element)) return false
  return token(element, 'aria-hidden') === 'true' || isPresentational(page.roleOf(element))
}

function* checkPictures(page: PageModel): Generator<Outcome> {
  for (const element of page.elements) {
    if (!isHiddenPicture(element, page)) continue
    // Only the image shows whether it is decorative; but hidden and with a text alternative is a
    // contradiction.
    if (collapse(element.attribs.alt ?? '') === '') yield pass(element)
    else
      yield review(
        element,
        'It has a text alternative but is hidden from screen readers; one of the two is a mistake.',
      )
  }
  yield* checkCanvases(page)
}

function* checkCanvases(page: PageModel): Generator<Outcome> {
  const canvases = new Map<string, Element>()
  for (const element of page.elements)
    if (element.name === 'canvas' && element.attribs.id !== undefined)
      canvases.set(element.attribs.id, element)
  if (canvases.size === 0) return
  const drawn = findDrawnWords(page.elements, new Set(canvases.keys()))
  const whole = drawn.length === 0 ? [] : page.elements.filter((element) => parentOf(element) === null)
  const pageText = whole.map(textOf).join(' ').toLowerCase()
  for (const { canvasId, words } of drawn) {
    const canvas = canvases.get(canvasId)
    if (!canvas || !page.isVisible(canvas)) continue
    const hasAlternative = page.nameOf(canvas) !== '' || textOf(canvas) !== ''
    const missing = words.find((text) => !pageText.includes(collapse(text).toLowerCase()))
    if (hasAlternative || missing === undefined) yield pass(canvas)
    else
      yield fail(
        canvas,
        `A script draws "${missing.slice(0, MAX_SHOWN_LENGTH)}" on it, which is not in the text of the page.`,
      )
  }
}

/** Max characters of drawn text in a message. */
const MAX_SHOWN_LENGTH = 60

export const HIDDEN_PICTURE_RULES: readonly Rule[] = [
  {
    id: 'hidden-picture-decorative',
    impact: 'serious',
    criteria: ['1.1.1'],
    act: ['e88epe'],
    help: 'Images hidden from screen readers must be decorative',
    check: checkPictures,
  },
]
