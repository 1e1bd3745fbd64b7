import { toUtcDate, toUtcText } from '../build/compose-report.ts'
import type { MerchantFigures } from '../build/figures.ts'
import type { Window } from '../build/window.ts'
import { isWeekEnd } from '../published/find-window.ts'
import type { ReportInputs } from '../published/inputs.ts'
import { badgeUrl } from '../published/links.ts'
import type { PublishedReport } from '../published/published-report.ts'
import { type Check, type CheckedValue, checkRule, compare } from './check.ts'
import { listFields } from './report-fields.ts'

export type RuledReport = {
  readonly report: PublishedReport
  readonly inputs: ReportInputs
  /** From the chain. */
  readonly window: Window
  /** Recomputed. */
  readonly figures: MerchantFigures
  readonly now: Date
}

/** Tolerance for the clocks of publishers and chains. */
const CLOCK_SKEW_SECONDS = 300

/** Checks fields that only rules decide, and the invariants of every report. */
export function checkReportRules(ruled: RuledReport): readonly Check[] {
  const fields = listFields(ruled.report.document)
  return [
    checkGeneratedAt(fields, ruled),
    checkFrozen(fields, ruled),
    checkRank(fields, ruled),
    checkComplete(fields, ruled),
    checkExchangeNote(fields, ruled),
    ...checkLinks(fields, ruled),
    ...checkInvariants(fields),
  ]
}

type Fields = ReadonlyMap<string, CheckedValue>

function checkGeneratedAt(fields: Fields, { window, now }: RuledReport): Check {
  const field = 'generated_at'
  const published = fields.get(field)
  const seconds = Date.parse(String(published)) / 1000
  const isText = Number.isFinite(seconds) && toUtcText(seconds) === published
  const latest = now.getTime() / 1000 + CLOCK_SKEW_SECONDS
  const isPlausible = isText && seconds >= window.end - CLOCK_SKEW_SECONDS && seconds <= latest
  if (isPlausible)
    return { field, verdict: 'not_checked', published, note: 'after the window and not in the future' }
  return {
    field,
    verdict: 'differs',
    published,
    note: `must be a time between ${toUtcText(window.end)} and now`,
  }
}

function checkFrozen(fields: Fields, { window, inputs }: RuledReport): Check {
  const published = fields.get('frozen')
  // Only the report of the rolling window is ever frozen.
  if (inputs.edition === toUtcDate(window.end) || (isWeekEnd(window.end) && published !== true))
    return compare({ field: 'frozen', published, expected: false })
  if (typeof published !== 'boolean') return compare({ field: 'frozen', published, expected: false })
  return { field: 'frozen', verdict: 'not_checked', published, note: 'depends on what came after the window' }
}

const UNREAD_BLOCKS = 'the publisher may not have read every block'

function checkRank(fields: Fields, { figures, window, inputs }: RuledReport): Check {
  const field = 'rank_by_real_revenue'
  const published = fields.get(field)
  // Inputs of an older form rank merchants that received only uncounted payments, too.
  const isEarned = inputs.floor === undefined ? figures.realAmount > 0n : figures.realTx > 0
  const isUnranked = fields.get('frozen') === true || !window.isComplete || !isEarned
  if (isUnranked) return compare({ field, published, expected: null })
  if (published === null && fields.get('window.complete') === false && !isWeekEnd(window.end))
    return { field, verdict: 'not_checked', published, note: UNREAD_BLOCKS }
  const isRank =
    typeof published === 'number' &&
    Number.isInteger(published) &&
    published >= 1 &&
    published <= inputs.rank.merchants
  if (isRank) return { field, verdict: 'not_checked', published, note: 'depends on every other merchant' }
  return { field, verdict: 'differs', published, note: `must be a rank from 1 to ${inputs.rank.merchants}` }
}

function checkComplete(fields: Fields, { window }: RuledReport): Check {
  const values = { field: 'window.complete', published: fields.get('window.complete') }
  const isUnknown = values.published === false && window.isComplete && !isWeekEnd(window.end)
  if (isUnknown) return { ...values, verdict: 'not_checked', note: UNREAD_BLOCKS }
  return compare({ ...values, expected: window.isComplete })
}

/** Knowing which buyers an exchange funded takes a label list and the transfers of every buyer. */
function checkExchangeNote(fields: Fields, { inputs }: RuledReport): Check {
  const field = 'exchange_flow_note'
  const published = fields.get(field)
  if (inputs.labels === null) return compare({ field, published, expected: undefined })
  const note = `depends on the label list ${inputs.labels.version}`
  // Absent: too few buyers were examined to decide.
  return published === undefined || published === null || typeof published === 'string'
    ? { field, verdict: 'not_checked', published, note }
    : { field, verdict: 'differs', published, note: 'must be a sentence, null or absent' }
}

function checkLinks(fields: Fields, { report }: RuledReport): readonly Check[] {
  const page = fields.get('page')
  const url = typeof page === 'string' ? URL.parse(page) : null
  const path = `/merchants/base/${report.address}`
  const isPage =
    url !== null && /^https?:$/.test(url.protocol) && url.href === page && url.pathname.endsWith(path)
  const base = typeof page === 'string' && isPage ? page.slice(0, -path.length) : null
  return [
    checkRule(base !== null && page === `${base}${path}`, {
      field: 'page',
      published: page,
      ...(base === null && { note: `must be a URL that ends in ${path}` }),
    }),
    base === null
      ? {
          field: 'badge',
          verdict: 'not_checked',
          published: fields.get('badge'),
          note: 'the page is not a URL',
        }
      : compare({ field: 'badge', published: fields.get('badge'), expected: badgeUrl(base, report.address) }),
  ]
}

/** Section 2.1 of the specification. */
function checkInvariants(fields: Fields): readonly Check[] {
  const number = (field: string) => {
    const value = fields.get(field)
    return typeof value === 'number' ? value : Number.NaN
  }
  const cents = (field: string) => Math.round(number(field) * 100)
  const kinds = [...fields.keys()].flatMap((field) => /^flags\.(.+)\.tx$/.exec(field)?.[1] ?? [])
  const flagged = kinds.reduce((sum, kind) => sum + number(`flags.${kind}.tx`), 0)
  const flaggedCents = kinds.reduce((sum, kind) => sum + cents(`flags.${kind}.usd`), 0)
  const isLess = ['tx', 'usd', 'buyers'].every((field) => number(`real_${field}`) <= number(field))
  const isCounted = number('tx') - number('real_tx') === flagged
  // The specification allows a cent; our flags add up exactly.
  const isSummed = Math.abs(cents('usd') - cents('real_usd') - flaggedCents) <= 1
  const isUnflagged =
    kinds.length > 0 || ['tx', 'usd', 'buyers'].every((field) => number(`real_${field}`) === number(field))
  const rule = (name: string, isMet: boolean) =>
    checkRule(isMet, { field: `invariant: ${name}`, published: isMet ? 'holds' : 'broken' })
  return [
    rule('real figures are at most the reported ones', isLess),
    rule('flags count tx - real_tx', isCounted),
    rule('flags sum up to usd - real_usd within 0.01', isSummed),
    rule('without flags real equals reported', isUnflagged),
  ]
}
