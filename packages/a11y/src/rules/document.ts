import type { Element } from 'domhandler'
import type { PageModel } from '../page-model.ts'
import { checkEach, fail, type Outcome, pass, type Rule } from '../rule.ts'
import { childrenOf, closest, collapse, ownText, textOf } from '../tree/page-tree.ts'

/** Registered, although `Intl` replaces them. */
const ALSO_REGISTERED = new Set(['cmn', 'ekk', 'lvs', 'swc', 'zsm', 'arb', 'pes', 'uzn', 'azj', 'fil', 'tl'])

function* checkTitle({ elements, tree }: PageModel): Generator<Outcome> {
  const title = elements.find((element) => element.name === 'title' && !closest(element, 'svg'))
  if (!title) yield fail(tree.root, 'The page has no title element.')
  else yield collapse(textOf(title)) === '' ? fail(title, 'The title element is empty.') : pass(title)
}

function* checkLang({ tree }: PageModel): Generator<Outcome> {
  const lang = tree.root?.attribs.lang
  if (lang === undefined) yield fail(tree.root, 'The html element has no lang attribute.')
  else
    yield lang.trim() === '' ? fail(tree.root, 'The lang attribute of the page is empty.') : pass(tree.root)
}

function* checkLangIsValid({ tree }: PageModel): Generator<Outcome> {
  const lang = tree.root?.attribs.lang?.trim()
  if (!lang) return
  yield isKnownLanguage(lang)
    ? pass(tree.root)
    : fail(tree.root, `"${lang.slice(0, 40)}" does not begin with a language of the IANA registry.`)
}

function* checkXmlLang({ tree }: PageModel): Generator<Outcome> {
  const [lang, xml] = [tree.root?.attribs.lang ?? '', tree.root?.attribs['xml:lang'] ?? '']
  if (lang === '' || xml === '' || !isKnownLanguage(lang) || !isKnownLanguage(xml)) return
  yield primaryLanguage(lang) === primaryLanguage(xml)
    ? pass(tree.root)
    : fail(tree.root, 'The lang and xml:lang attributes of the page have different languages.')
}

/** Whether some text that is not `display: none` gets its language from this element. */
function hasVisibleText(element: Element, page: PageModel): boolean {
  const visit = (at: Element): boolean => {
    if (at !== element && at.attribs.lang !== undefined) return false
    if (!page.isRendered(at)) return false
    if (at.name === 'img' && (at.attribs.alt ?? '').trim() !== '') return true
    return collapse(ownText(at)) !== '' || childrenOf(at).some(visit)
  }
  return visit(element)
}

/** Longer delays give enough time (WCAG 2.2, success criterion 2.2.1: 20 hours). */
const TWENTY_HOURS_S = 72_000
/** HTML Standard, section 4.2.5.3: whole seconds, then the end, a space, `;` or `,`. */
const REFRESH = /^\s*(\d+)(?:\.[\d.]*)?(?:[\s;,]|$)/

function firstRefresh({
  elements,
}: PageModel): { readonly element: Element; readonly seconds: number } | null {
  for (const element of elements) {
    if (element.name !== 'meta' || element.attribs['http-equiv']?.toLowerCase() !== 'refresh') continue
    const match = REFRESH.exec(element.attribs.content ?? '')
    if (match) return { element, seconds: Number(match[1]) }
  }
  return null
}

function* checkRefresh(page: PageModel): Generator<Outcome> {
  const refresh = firstRefresh(page)
  if (!refresh) return
  const isSlow = refresh.seconds === 0 || refresh.seconds > TWENTY_HOURS_S
  const message = `The page reloads or redirects after ${refresh.seconds} s, and readers cannot stop it.`
  yield isSlow ? pass(refresh.element) : fail(refresh.element, message)
}

function* checkAnyRefresh(page: PageModel): Generator<Outcome> {
  const refresh = firstRefresh(page)
  if (!refresh) return
  const message = `The page reloads or redirects after ${refresh.seconds} s.`
  yield refresh.seconds === 0 ? pass(refresh.element) : fail(refresh.element, message)
}

/** Readers must be able to enlarge text by this factor (success criterion 1.4.4). */
const NEEDED_SCALE = 2

/** CSS Device Adaptation, section "The viewport META element": how browsers interpret the values. */
function findViewportIssue(content: string): string {
  const values = new Map(
    content
      .toLowerCase()
      .split(/[,;]/)
      .map((pair) => pair.split('=').map((part) => part.trim()))
      .map(([key = '', value = '']) => [key, value]),
  )
  const scalable = values.get('user-scalable')
  if (scalable !== undefined && !isScalable(scalable)) return 'user-scalable prevents readers from zooming.'
  const maximum = values.get('maximum-scale')
  if (maximum === undefined || maximum.startsWith('device-')) return ''
  const scale = maximum === 'yes' ? 1 : Number.parseFloat(maximum)
  if (scale < 0) return ''
  return scale >= NEEDED_SCALE ? '' : 'maximum-scale prevents readers from zooming to 200 %.'
}

function isScalable(value: string): boolean {
  if (value === 'yes' || value.startsWith('device-')) return true
  return Math.abs(Number.parseFloat(value)) >= 1
}

export const DOCUMENT_RULES: readonly Rule[] = [
  {
    id: 'document-title',
    impact: 'serious',
    criteria: ['2.4.2'],
    act: ['2779a5'],
    help: 'The page must have a title',
    check: checkTitle,
  },
  {
    id: 'html-has-lang',
    impact: 'serious',
    criteria: ['3.1.1'],
    act: ['b5c3f8'],
    help: 'The page must declare its language',
    check: checkLang,
  },
  {
    id: 'html-lang-valid',
    impact: 'serious',
    criteria: ['3.1.1'],
    act: ['bf051a'],
    help: 'The language of the page must be valid',
    check: checkLangIsValid,
  },
  {
    id: 'html-xml-lang-mismatch',
    impact: 'moderate',
    criteria: ['3.1.1'],
    act: ['5b7ae0'],
    help: 'lang and xml:lang of the page must match',
    check: checkXmlLang,
  },
  {
    id: 'valid-lang',
    impact: 'serious',
    criteria: ['3.1.2'],
    act: ['de46e4'],
    help: 'The languages of page parts must be valid',
    check: checkEach(
      (element, page) =>
        element.name !== 'html' && (element.attribs.lang ?? '') !== '' && hasVisibleText(element, page),
      (element) => {
        const lang = element.attribs.lang ?? ''
        return isKnownLanguage(lang)
          ? ''
          : `"${lang.slice(0, 40)}" does not begin with a language of the IANA registry.`
      },
    ),
  },
  {
    id: 'meta-refresh',
    impact: 'critical',
    criteria: ['2.2.1'],
    act: ['bc659a'],
    help: 'The page must not reload by itself within 20 hours',
    check: checkRefresh,
  },
  {
    id: 'meta-refresh-no-exceptions',
    impact: 'minor',
    criteria: ['2.2.4', '3.2.5'],
    act: ['bisz58'],
    help: 'The page must not reload by itself',
    check: checkAnyRefresh,
  },
  {
    id: 'meta-viewport',
    impact: 'moderate',
    criteria: ['1.4.4'],
    act: ['b4f0c3'],
    help: 'Readers must be able to zoom',
    check: checkEach(
      (element) =>
        element.name === 'meta' &&
        element.attribs.name?.toLowerCase() === 'viewport' &&
        /(?:user-scalable|maximum-scale)\s*=/i.test(element.attribs.content ?? ''),
      (element) => findViewportIssue(element.attribs.content ?? ''),
    ),
  },
]

/** The letters before the first hyphen, in lower case. */
function primaryLanguage(tag: string): string {
  return (tag.trim().split('-')[0] ?? '').toLowerCase()
}

/**
 * Whether a language tag begins with a language subtag of the IANA registry. `Intl` covers all two-letter
 * subtags. A three-letter subtag that is not registered has a two-letter equivalent, to which `Intl`
 * canonicalises it.
 */
function isKnownLanguage(tag: string): boolean {
  const primary = primaryLanguage(tag)
  if (!/^[a-z]{2,3}$/.test(primary)) return false
  const canonical = Intl.getCanonicalLocales(primary)[0] ?? ''
  if (primary.length === 3) return canonical.length === 3 || ALSO_REGISTERED.has(primary)
  return new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' }).of(canonical) !== undefined
}
