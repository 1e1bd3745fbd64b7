import type { Element } from 'domhandler'
import type { Style } from '../css/computed-style.ts'
import { toPixels } from '../css/length.ts'
import type { PageModel } from '../page-model.ts'
import { checkEach, type Rule } from '../rule.ts'
import { collapse, ownText, selfAndAncestors } from '../tree/page-tree.ts'

type Spacing = {
  readonly property: 'letter-spacing' | 'word-spacing' | 'line-height'
  readonly act: string
  /** As a multiple of the font size (success criterion 1.4.12). */
  readonly min: number
  readonly of: (style: Style) => number | null
}

const SPACINGS: readonly Spacing[] = [
  { property: 'letter-spacing', act: '24afc2', min: 0.12, of: (style) => style.letterSpacing },
  { property: 'word-spacing', act: '9e45ec', min: 0.16, of: (style) => style.wordSpacing },
  { property: 'line-height', act: '78fd32', min: 1.5, of: (style) => style.lineHeight },
]
const INHERITED = /^(?:inherit|unset|revert|revert-layer)$/i
/** Tolerance, so that 3 px of 25 px pass as 0.12 in floating point. */
const SLACK = 1e-9
/** The average width of a letter is half an em. */
const LETTER_EM = 0.5
const SCREEN_PX = 1280

function isFixedInline(element: Element, page: PageModel, { property }: Spacing): boolean {
  if (element.attribs.style === undefined) return false
  const declared = page.styleOf(element).declared.get(property)
  if (!declared?.isInline || !declared.isImportant || INHERITED.test(declared.value)) return false
  if (collapse(ownText(element)) === '' || !page.isVisible(element)) return false
  return property !== 'line-height' || isWrapped(element, page)
}

/** Whether the text takes more than one line, as far as widths are set; line height matters only then. */
function isWrapped(element: Element, page: PageModel): boolean {
  const { fontSize } = page.styleOf(element)
  let width = SCREEN_PX
  for (const one of selfAndAncestors(element)) {
    const style = page.styleOf(one)
    const widths = ['width', 'max-width']
      .map((property) => toPixels(style.get(property), { em: style.fontSize, hundredPercent: SCREEN_PX }))
      .filter((one) => one !== null)
    if (widths.length > 0) {
      width = Math.min(...widths)
      break
    }
  }
  return collapse(ownText(element)).length * LETTER_EM * fontSize > width
}

export const SPACING_RULES: readonly Rule[] = SPACINGS.map((spacing) => ({
  id: `avoid-inline-${spacing.property}`,
  impact: 'serious' as const,
  criteria: ['1.4.12' as const],
  act: [spacing.act],
  help: `Readers must be able to increase the ${spacing.property.replace('-', ' ')}`,
  check: checkEach(
    (element, page) => isFixedInline(element, page, spacing),
    (element, page) => {
      const style = page.styleOf(element)
      const size = spacing.of(style)
      if (size === null || size + SLACK >= spacing.min * style.fontSize) return ''
      return `The style attribute sets ${spacing.property} below ${spacing.min} times the font size with !important.`
    },
  ),
}))
