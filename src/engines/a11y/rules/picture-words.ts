import type { Element } from 'domhandler'
import type { PageModel } from '../page-model.ts'
import { isInDownload, sourcesOf } from '../pictures/sources.ts'
import { checkWording } from '../pictures/wording.ts'
import { fail, type Outcome, pass, type Rule, review } from '../rule.ts'
import { token } from '../tree/page-tree.ts'

/** Whether the wording of the element can be checked: an image or an image button. */
function isPicture(element: Element, page: PageModel): boolean {
  if (element.name === 'input') return token(element, 'type') === 'image'
  return element.name === 'img' && page.roleOf(element) === 'img'
}

function* checkWords(page: PageModel): Generator<Outcome> {
  for (const element of page.elements) {
    if (!isPicture(element, page) || !page.isExposed(element)) continue
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

export const PICTURE_WORD_RULES: readonly Rule[] = [
  {
    id: 'image-alt-words',
    impact: 'serious',
    criteria: ['1.1.1'],
    act: ['9eb3f6'],
    help: 'Text alternatives must be words, not file names or placeholders',
    check: checkWords,
  },
]
