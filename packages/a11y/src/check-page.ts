import type { Element } from 'domhandler'
import { ALL_RULES } from './all-rules.ts'
import type { PageModel } from './page-model.ts'
import { type Impact, type Outcome, type Rule, review } from './rule.ts'
import { ownText, selectorOf, snippetOf } from './tree/page-tree.ts'
import { notTestable } from './wcag/not-testable.ts'
import {
  criteriaIn,
  isAtMost,
  type Level,
  minLevel,
  type NamedCriterion,
  type Standard,
} from './wcag/success-criteria.ts'

export type CheckOptions = {
  /** Rules of stricter levels are skipped. */
  readonly level: Level
  readonly standard: Standard
  readonly hasBestPractices: boolean
}

export type FindingNode = { readonly selector: string; readonly html: string; readonly message: string }

export type Finding = {
  readonly rule: string
  readonly impact: Impact
  /** Null for a best practice that no criterion requires. */
  readonly level: Level | null
  readonly criteria: readonly NamedCriterion[]
  readonly message: string
  readonly helpUrl: string
  /** Number of failing elements; `nodes` holds the first of them. */
  readonly count: number
  readonly nodes: readonly FindingNode[]
}

export type PageReport = {
  readonly findings: readonly Finding[]
  /** Findings of the same rules that need human review. */
  readonly needsReview: readonly Finding[]
  /** Rules that applied to something on the page and found no problem. */
  readonly passes: readonly string[]
  readonly notTestable: readonly NamedCriterion[]
  /**
   * 0 to 100: the share of rules that passed among the rules with a definite result, weighted by impact; null if
   * scripts make the content, which was not checked.
   */
  readonly score: number | null
}

/** Application shells have less, such as "Loading" and a name. */
const MIN_WORDS = 10

/** What comes with the page and can be operated or seen is content. */
const CONTENT = new Set([
  'a',
  'area',
  'audio',
  'button',
  'iframe',
  'img',
  'input',
  'select',
  'textarea',
  'video',
])
const JAVASCRIPT = /^(?:module|(?:text|application)\/(?:x-)?(?:java|ecma)script)?$/i

/** A page that came nearly empty and has scripts: no rule has seen what its readers see. */
const CONTENT_BY_SCRIPT: Rule = {
  id: 'content-by-script',
  impact: 'critical',
  criteria: [],
  act: [],
  help: 'The content comes with the page, or the rendered page is checked',
  check: findMissingContent,
}

function* findMissingContent({ elements }: PageModel): Generator<Outcome> {
  const script = elements.find(isScript)
  if (!script || elements.some(({ name }) => CONTENT.has(name))) return
  const text = elements.map((element) => (element.name === 'title' ? '' : ownText(element))).join(' ')
  if (text.split(/\s+/).filter(Boolean).length >= MIN_WORDS) return
  yield review(
    script,
    'Scripts make the content of the page, and they do not run here. Send it as html after its scripts ran.',
  )
}

/** Max elements listed per rule. */
const MAX_NODES = 50
const WEIGHTS: Readonly<Record<Impact, number>> = { critical: 10, serious: 6, moderate: 3, minor: 1 }

/** Runs every rule on a page. */
export function checkPage(page: PageModel, options: CheckOptions): PageReport {
  const findings: Finding[] = []
  const needsReview: Finding[] = []
  const passes: string[] = []
  let [weightPassed, weightFailed] = [0, 0]
  for (const rule of ALL_RULES) {
    const criteria = criteriaIn(rule.criteria, options.standard)
    if (!isSelected(rule, criteria, options)) continue
    const outcomes = [...rule.check(page)]
    const failed = outcomes.filter(({ verdict }) => verdict === 'fail')
    const doubtful = outcomes.filter(({ verdict }) => verdict === 'review')
    if (failed.length > 0) findings.push(toFinding(rule, criteria, failed, page))
    if (doubtful.length > 0) needsReview.push(toFinding(rule, criteria, doubtful, page))
    if (failed.length > 0) weightFailed += WEIGHTS[rule.impact]
    else if (outcomes.length > doubtful.length) {
      weightPassed += WEIGHTS[rule.impact]
      if (doubtful.length === 0) passes.push(rule.id)
    }
  }
  const missing = [...CONTENT_BY_SCRIPT.check(page)]
  if (missing.length > 0) needsReview.unshift(toFinding(CONTENT_BY_SCRIPT, [], missing, page))
  const decided = weightPassed + weightFailed
  const score = decided === 0 ? 100 : Math.round((100 * weightPassed) / decided)
  return {
    findings,
    needsReview,
    passes,
    notTestable: notTestable(options.standard, options.level),
    score: missing.length > 0 ? null : score,
  }
}

function isSelected(rule: Rule, criteria: readonly NamedCriterion[], options: CheckOptions): boolean {
  if (rule.criteria.length === 0) return options.hasBestPractices
  const level = minLevel(criteria)
  return level !== null && isAtMost(level, options.level)
}

function toFinding(
  rule: Rule,
  criteria: readonly NamedCriterion[],
  outcomes: readonly Outcome[],
  page: PageModel,
): Finding {
  return {
    rule: rule.id,
    impact: rule.impact,
    level: minLevel(criteria),
    criteria,
    message: `${rule.help}.`,
    helpUrl: helpUrlOf(rule, criteria),
    count: outcomes.length,
    nodes: outcomes.slice(0, MAX_NODES).map(({ element, message }) => ({
      selector: element ? selectorOf(element, page.tree) : 'html',
      html: element ? snippetOf(element, page.tree) : '',
      message,
    })),
  }
}

/** The rule's page in the ACT catalogue, otherwise its criterion, otherwise the ARIA guide. */
function helpUrlOf({ act }: Rule, criteria: readonly NamedCriterion[]): string {
  const [id] = act
  if (id !== undefined) return `https://www.w3.org/WAI/standards-guidelines/act/rules/${id}/`
  return criteria[0]?.url ?? 'https://www.w3.org/WAI/ARIA/apg/practices/'
}

function isScript({ name, attribs }: Element): boolean {
  return name === 'script' && JAVASCRIPT.test((attribs.type ?? '').trim())
}
