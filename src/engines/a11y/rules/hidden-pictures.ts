import type { Element } from 'domhandler'
import { isPresentational } from '../aria/role.ts'
import type { PageModel } from '../page-model.ts'
import { findDrawnWords } from '../pictures/drawn-words.ts'
import { fail, type Outcome, pass, type Rule, review } from '../rule.ts'
import { collapse, parentOf, textOf, token } from '../tree/page-tree.ts'

/** A picture that eyes meet and screen readers do not, by what its author says of it. */
function isHiddenPicture(element: Element, page: PageModel): boolean {
  if (element.name !== 'img' || !page.isVisible(element)) return false
  return token(element, 'aria-hidden') === 'true' || isPresentational(page.roleOf(element))
}

function* checkPictures(page: PageModel): Generator<Outcome> {
  for (const element of page.elements) {
    if (!isHiddenPicture(element, page)) continue
    // Whether it is decoration only the picture shows; that it is and is not is seen from here.
    if (collapse(element.attribs.alt ?? '') === '') yield pass(element)
    else
      yield review(
        element,
        'It has a text alternative and is hidden from screen readers; one of the two is a mistake.',
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
  const said = whole.map(textOf).join(' ').toLowerCase()
  for (const { canvasId, words } of drawn) {
    const canvas = canvases.get(canvasId)
    if (!canvas || !page.isVisible(canvas)) continue
    const isTold = page.nameOf(canvas) !== '' || textOf(canvas) !== ''
    const unsaid = words.find((text) => !said.includes(collapse(text).toLowerCase()))
    if (isTold || unsaid === undefined) yield pass(canvas)
    else
      yield fail(canvas, `A script writes "${unsaid.slice(0, SHOWN)}" on it, and the page says that nowhere.`)
  }
}

/** Letters of drawn words in a message. */
const SHOWN = 60

export const HIDDEN_PICTURE_RULES: readonly Rule[] = [
  {
    id: 'hidden-picture-decorative',
    impact: 'serious',
    criteria: ['1.1.1'],
    act: ['e88epe'],
    help: 'Pictures that screen readers do not meet say nothing',
    check: checkPictures,
  },
]
