import { toPlainLine } from '@tollbook/flow/text/plain-line'
import type { Check, CheckedValue, Verdict } from './checks/check.ts'
import type { ReportInputs } from './published/inputs.ts'
import type { PublishedReport } from './published/published-report.ts'
import type { Verification } from './verify-report.ts'

export type Verified = Verification & {
  readonly report: PublishedReport
  readonly inputs: ReportInputs
}

const WORDS: Readonly<Record<Verdict, string>> = {
  equal: 'equal',
  differs: 'DIFFERS',
  from_inputs: 'from inputs',
  not_checked: 'not checked',
}
/** Long enough for an address; sentences are cut where they do not differ. */
const WIDEST_VALUE = 44
const WIDEST_FIELD = 70
const MAX_TEXT_LENGTH = 300
/** Fields that are numerous and rarely differ. */
const LONG_LIST = /^bazaar_listings\.\d+\./

/** The JSON object of a verification, documented in docs/verify.md. */
export function toVerificationDocument({ checks, notes, isEqual, ...of }: Verification & Partial<Verified>) {
  const { report, inputs } = of
  return {
    verdict: isEqual ? 'equal' : 'differs',
    ...(report &&
      inputs && {
        address: report.address,
        edition: inputs.edition,
        revision: inputs.revision,
        method: inputs.method.version,
      }),
    counts: countVerdicts(checks),
    differences: checks.filter(({ verdict }) => verdict === 'differs').map(toRecord),
    checks: checks.map(toRecord),
    notes,
  }
}

/** A table for people: every field with its result, then the totals. */
export function renderVerification({ checks, notes, isEqual }: Verification, name = 'report'): string {
  const rows = foldLists(checks).map((check) => {
    const { field, verdict, published, note } = check
    const isDifferent = verdict === 'differs'
    const show = (value: CheckedValue) => showValue(value, isDifferent ? MAX_TEXT_LENGTH : WIDEST_VALUE)
    const values = [show(published), isDifferent && 'expected' in check ? show(check.expected) : '']
    const why = verdict === 'equal' ? '' : toPlainLine(note ?? '', MAX_TEXT_LENGTH)
    return [toPlainLine(field, WIDEST_FIELD), WORDS[verdict], ...values, why]
  })
  const counts = countVerdicts(checks)
  const sum =
    `${counts.equal} equal, ${counts.differs} differ, ${counts.from_inputs} taken from inputs, ` +
    `${counts.not_checked} not checked`
  return [
    renderTable([['field', 'verdict', 'published', 'recomputed', 'note'], ...rows]),
    '',
    ...notes.map((note) => `note: ${toPlainLine(note, MAX_TEXT_LENGTH)}`),
    isEqual
      ? `The ${name} equals what the chain shows: ${sum}.`
      : `The ${name} DIFFERS from what the chain shows: ${sum}.`,
    '',
  ].join('\n')
}

function toRecord({ field, verdict, published, expected, note }: Check) {
  return {
    field,
    verdict,
    ...(published !== undefined && { published }),
    ...(expected !== undefined && { recomputed: expected }),
    ...(note !== undefined && { note }),
  }
}

function countVerdicts(checks: readonly Check[]): Readonly<Record<Verdict, number>> {
  const count = (verdict: Verdict) => checks.filter((check) => check.verdict === verdict).length
  return {
    equal: count('equal'),
    differs: count('differs'),
    from_inputs: count('from_inputs'),
    not_checked: count('not_checked'),
  }
}

/** Fields of listings that do not differ become one line. */
function foldLists(checks: readonly Check[]): readonly Check[] {
  const isFolded = ({ field, verdict }: Check) => LONG_LIST.test(field) && verdict !== 'differs'
  const first = checks.find(isFolded)
  if (!first) return checks
  const published = `${checks.filter(isFolded).length} values`
  const line: Check = { ...first, field: 'bazaar_listings', published }
  return checks.flatMap((check) => (check === first ? [line] : isFolded(check) ? [] : [check]))
}

function showValue(value: CheckedValue, max: number): string {
  return value === undefined ? 'absent' : toPlainLine(String(value), max)
}

function renderTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => [...(row[column] ?? '')].length)),
  )
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
