import { explicitRole, isPresentational } from '@tollbook/a11y/aria/role'
import { isInDownload, sourcesOf } from '@tollbook/a11y/images/sources'
import { checkWording } from '@tollbook/a11y/images/wording'
import { createPageModel, type PageModel } from '@tollbook/a11y/page-model'
import { NAME_RULES } from '@tollbook/a11y/rules/names'
import {
  childrenOf,
  collapse,
  selectorOf,
  selfAndAncestors,
  textOf,
  token,
} from '@tollbook/a11y/tree/page-tree'
import type { Element } from 'domhandler'

export const FINDING_TYPES = [
  'missing_alt',
  'filename_alt',
  'generic_alt',
  'long_alt',
  'redundant_alt',
  'svg_unlabeled',
  'area_missing',
  'input_image_missing',
] as const

export type FindingType = (typeof FINDING_TYPES)[number]
export type Severity = 'critical' | 'serious' | 'moderate' | 'minor'

export type AltFinding = {
  readonly type: FindingType
  readonly severity: Severity
  readonly wcag: readonly string[]
  readonly element: string
  readonly selector: string
  /** Absolute URL; null if the image has none. */
  readonly src: string | null
  /** What screen readers announce; null if there is nothing. */
  readonly alt: string | null
  readonly message: string
}

export type AltAudit = {
  /** Images that screen readers encounter, including decorative ones. */
  readonly images: number
  /** Neither with findings nor decorative. */
  readonly ok: number
  /** Marked as decorative by an empty alternative, by role or by `aria-hidden`. */
  readonly decorative: number
  /** In document order. */
  readonly findings: readonly AltFinding[]
}

type Options = { readonly html: string; readonly url: string; readonly maxLength: number }

/** The accessible-name rules about images, and the finding reported for each. */
const MISSING: ReadonlyMap<string, FindingType> = new Map([
  ['image-alt', 'missing_alt'],
  ['role-img-alt', 'missing_alt'],
  ['object-alt', 'missing_alt'],
  ['svg-img-alt', 'svg_unlabeled'],
  ['area-alt', 'area_missing'],
  ['input-image-alt', 'input_image_missing'],
])

export function auditAlternatives({ html, url, maxLength }: Options): AltAudit {
  const page = createPageModel({ html, url })
  const isMissing = findUnnamed(page)
  const images = new Set(isMissing.keys())
  const decorative = page.elements.filter((element) => isDecoration(element, page))
  const findings: AltFinding[] = []
  let flagged = 0
  for (const element of page.elements) {
    const verdict = isMissing.get(element)
    const own: AltFinding[] = []
    if (verdict?.issue) own.push(toFinding(element, page, verdict.issue))
    else if (verdict) own.push(...judgeName(element, page, maxLength))
    else if (isDecoration(element, page) && isOnlyContentOfLink(element, page))
      own.push(toFinding(element, page, LINKED_DECORATION))
    findings.push(...own)
    if (own.length > 0 && verdict) flagged += 1
  }
  return {
    images: images.size + decorative.length,
    ok: images.size - flagged,
    decorative: decorative.length,
    findings,
  }
}

type Issue = Pick<AltFinding, 'type' | 'severity' | 'wcag' | 'message'>

const LINKED_DECORATION: Issue = {
  type: 'missing_alt',
  severity: 'serious',
  wcag: ['1.1.1', '2.4.4'],
  message: 'The image is marked as decoration, but it is the only content of its link or button.',
}

/** Every exposed image, with its missing-name finding, or null. */
function findUnnamed(page: PageModel): ReadonlyMap<Element, { readonly issue: Issue | null }> {
  const verdicts = new Map<Element, { readonly issue: Issue | null }>()
  for (const rule of NAME_RULES) {
    const type = MISSING.get(rule.id)
    if (type === undefined) continue
    for (const { element, verdict, message } of rule.check(page)) {
      if (!element || verdicts.get(element)?.issue) continue
      const severity = rule.impact === 'critical' ? 'critical' : 'serious'
      const issue: Issue = { type, severity, wcag: rule.criteria, message }
      verdicts.set(element, { issue: verdict === 'fail' ? issue : null })
    }
  }
  return verdicts
}

function isDecoration(element: Element, page: PageModel): boolean {
  if (element.name !== 'img' || !page.isShown(element)) return false
  const isHidden = [...selfAndAncestors(element)].some((one) => token(one, 'aria-hidden') === 'true')
  return isHidden || isPresentational(page.roleOf(element))
}

function isOnlyContentOfLink(element: Element, page: PageModel): boolean {
  for (const one of selfAndAncestors(element)) {
    const role = page.roleOf(one)
    if (role === 'link' || role === 'button') return page.isExposed(one) && page.nameOf(one) === ''
  }
  return false
}

function judgeName(element: Element, page: PageModel, maxLength: number): readonly AltFinding[] {
  const text = page.nameOf(element)
  const found: AltFinding[] = []
  const wording = checkWording({ text, sources: sourcesOf(element), maxLength })
  if (wording && !(wording.type === 'filename_alt' && isInDownload(element)))
    found.push(toFinding(element, page, { ...wording, wcag: ['1.1.1'] }))
  if (isRepeated(element, page, text))
    found.push(
      toFinding(element, page, {
        type: 'redundant_alt',
        severity: 'minor',
        wcag: [],
        message: 'The text next to the image says the same; alt="" would do.',
      }),
    )
  return found
}

const HOLDERS = new Set(['p', 'li', 'td', 'th', 'figure', 'button', 'a'])

/** Whether the text of the image's container repeats its alternative. */
function isRepeated(element: Element, page: PageModel, text: string): boolean {
  if (element.name !== 'img') return false
  for (const one of selfAndAncestors(element)) {
    const isHolder = HOLDERS.has(one.name) || ['link', 'button'].includes(explicitRole(one) ?? '')
    if (!isHolder) continue
    const caption = childrenOf(one).find(({ name }) => name === 'figcaption')
    return collapse(textOf(caption ?? one)).toLowerCase() === text.toLowerCase() && page.isShown(one)
  }
  return false
}

function toFinding(element: Element, page: PageModel, issue: Issue): AltFinding {
  const [source] = sourcesOf(element)
  const name = page.nameOf(element)
  return {
    ...issue,
    element: element.name,
    selector: selectorOf(element, page.tree),
    src:
      source === undefined || source.startsWith('data:') ? null : (URL.parse(source, page.url)?.href ?? null),
    alt: name === '' ? (element.attribs.alt ?? null) : name,
  }
}
