import type { Element } from 'domhandler'
import type { PageModel } from './page-model.ts'
import type { CriterionNumber } from './wcag/success-criteria.ts'

export type Impact = 'critical' | 'serious' | 'moderate' | 'minor'

/** A rule's result for one element; null means the page as a whole. */
export type Outcome = {
  readonly element: Element | null
  readonly verdict: 'pass' | 'fail' | 'review'
  /** The reason, for the author of the page; empty for a pass. */
  readonly message: string
}

export type Rule = {
  readonly id: string
  readonly impact: Impact
  /** Empty for a best practice that no criterion requires. */
  readonly criteria: readonly CriterionNumber[]
  /** Rules of the ACT catalogue that it implements (https://www.w3.org/WAI/standards-guidelines/act/rules/). */
  readonly act: readonly string[]
  /** The requirement, as a sentence. */
  readonly help: string
  readonly check: (page: PageModel) => Iterable<Outcome>
}

export function pass(element: Element | null): Outcome {
  return { element, verdict: 'pass', message: '' }
}

export function fail(element: Element | null, message: string): Outcome {
  return { element, verdict: 'fail', message }
}

export function review(element: Element | null, message: string): Outcome {
  return { element, verdict: 'review', message }
}

/** A check of every element that `applies`; an empty message is a pass. */
export function checkEach(
  applies: (element: Element, page: PageModel) => boolean,
  findIssue: (element: Element, page: PageModel) => string,
): Rule['check'] {
  return function* (page) {
    for (const element of page.elements) {
      if (!applies(element, page)) continue
      const issue = findIssue(element, page)
      yield issue === '' ? pass(element) : fail(element, issue)
    }
  }
}
