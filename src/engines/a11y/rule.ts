import type { Element } from 'domhandler'
import type { PageModel } from './page-model.ts'
import type { CriterionNumber } from './wcag/success-criteria.ts'

export type Impact = 'critical' | 'serious' | 'moderate' | 'minor'

/** What a rule says of one element; null stands for the page as a whole. */
export type Outcome = {
  readonly element: Element | null
  readonly verdict: 'pass' | 'fail' | 'review'
  /** Why, for the author of the page; empty where it passes. */
  readonly message: string
}

export type Rule = {
  readonly id: string
  readonly impact: Impact
  /** None for a good practice that no criterion demands. */
  readonly criteria: readonly CriterionNumber[]
  /** Rules of the ACT catalogue that it answers (https://www.w3.org/WAI/standards-guidelines/act/rules/). */
  readonly act: readonly string[]
  /** What has to be so. */
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

/** Asks one question of every element that `applies`; an empty answer passes. */
export function* judgeEach(
  page: PageModel,
  applies: (element: Element) => boolean,
  faultOf: (element: Element) => string,
): Generator<Outcome> {
  for (const element of page.elements) {
    if (!applies(element)) continue
    const fault = faultOf(element)
    yield fault === '' ? pass(element) : fail(element, fault)
  }
}
