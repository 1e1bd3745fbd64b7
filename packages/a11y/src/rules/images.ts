import type { Element } from 'domhandler'
import { isPresentational } from '../aria/role.ts'
import { isInDownload, sourcesOf } from '../images/sources.ts'
import { checkWording } from '../images/wording.ts'
import type { PageModel } from '../page-model.ts'
import { fail, type Outcome, pass, type Rule, review } from '../rule.ts'
import { collapse, parentOf, rawTextOf, textOf, token } from '../tree/page-tree.ts'

/** Text that the page's scripts draw on a canvas, as far as the scripts contain it as string literals. */
type DrawnWords = { readonly canvasId: string; readonly words: readonly string[] }

/** More texts than this suggest a program, not labels. */
const MAX_WORDS = 100
const NAMED = /(['"`])#?([\w-]+)\1/g
/** Drawn text (HTML Standard, 4.12.5.1.11) passed as a literal. */
const WRITTEN = /\.(?:fill|stroke)Text\(\s*(?:'([^'\\\n]*)'|"([^"\\\n]*)"|`([^`\\$]*)`)/g

export const IMAGE_WORD_RULES: readonly Rule[] = [
  {
    id: 'image-alt-words',
    impact: 'serious',
    criteria: ['1.1.1'],
    act: ['9eb3f6'],
    help: 'Text alternatives must be words, not file names or placeholders',
    check: checkWords,
  },
]

/** A visible image that its author hides from screen readers. */
function isHiddenImage(element: Element, page: PageModel): boolean {
  if (element.name !== 'img' || !page.isVisible(element)) return false
  return token(element, 'aria-hidden') === 'true' || isPresentational(page.roleOf(element))
}

function* checkImages(page: PageModel): Generator<Outcome> {
  for (const element of page.elements) {
    if (!isHiddenImage(element, page)) continue
    // Only the image shows whether it is decorative; but hidden and with a text alternative is a contradiction.
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

export const HIDDEN_IMAGE_RULES: readonly Rule[] = [
  {
    id: 'hidden-picture-decorative',
    impact: 'serious',
    criteria: ['1.1.1'],
    act: ['e88epe'],
    help: 'Images hidden from screen readers must be decorative',
    check: checkImages,
  },
]

/**
 * Scans the scripts of a page. A script that names several canvases is skipped, since it is unclear which one
 * it draws on.
 */
function findDrawnWords(elements: readonly Element[], canvasIds: ReadonlySet<string>): DrawnWords[] {
  const found: DrawnWords[] = []
  let left = MAX_WORDS
  for (const element of elements) {
    if (element.name !== 'script' || left <= 0) continue
    const script = rawTextOf(element)
    const words = [...script.matchAll(WRITTEN).take(left)]
      .map(([, single, double, template]) => single ?? double ?? template ?? '')
      .filter((text) => /\p{L}/u.test(text))
    if (words.length === 0) continue
    const named = new Set([...script.matchAll(NAMED)].map(([, , id = '']) => id))
    const [canvasId, ...others] = [...named].filter((id) => canvasIds.has(id))
    if (canvasId === undefined || others.length > 0) continue
    found.push({ canvasId, words })
    left -= words.length
  }
  return found
}

/** Whether the wording of the element can be checked: an image or an image button. */
function isImage(element: Element, page: PageModel): boolean {
  if (element.name === 'input') return token(element, 'type') === 'image'
  return element.name === 'img' && page.roleOf(element) === 'img'
}

function* checkWords(page: PageModel): Generator<Outcome> {
  for (const element of page.elements) {
    if (!isImage(element, page) || !page.isExposed(element)) continue
    const text = page.nameOf(element)
    if (text === '') continue
    // WCAG sets no limit to the length of a text alternative.
    const wording = checkWording({ text, sources: sourcesOf(element), maxLength: Number.POSITIVE_INFINITY })
    if (wording?.type === 'filename_alt' && !isInDownload(element)) yield fail(element, wording.message)
    else if (wording?.type === 'generic_alt' && wording.severity !== 'minor')
      yield review(element, wording.message)
    else yield pass(element)
  }
}
