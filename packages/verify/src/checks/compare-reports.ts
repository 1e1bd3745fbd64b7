import type { MerchantReport } from '../build/merchant-report.ts'
import { type Check, type CheckedValue, compare, compareWithInputs } from './check.ts'
import { listFields, listKeys } from './report-fields.ts'

/** Fields that the chain does not decide; the inputs state them. */
const FROM_INPUTS =
  /^(name|claimed|bazaar_listings|stated_max_price_usd|wallets)(\.|$)|^inferred_revenue\.endpoints\.\d+\.resource$/
/** Checked by separate rules, since no single value is correct. */
const BY_RULES = new Set([
  'generated_at',
  'frozen',
  'rank_by_real_revenue',
  'window.complete',
  'exchange_flow_note',
  'page',
  'badge',
])

/** Compares all fields; fields that the specification lacks differ, and so does another order. */
export function compareReports(published: unknown, expected: MerchantReport): readonly Check[] {
  const ours = listFields(expected)
  const theirs = listFields(published)
  const fields = [...ours.keys(), ...[...theirs.keys()].filter((field) => !ours.has(field))]
  const checks = fields
    .filter((field) => !BY_RULES.has(field))
    .map((field) => compareField(field, { ours, theirs }))
  const isSameSet = ours.size === theirs.size && [...ours.keys()].every((field) => theirs.has(field))
  if (isSameSet && listKeys(published) !== listKeys(expected))
    return [
      ...checks,
      {
        field: 'order of fields',
        verdict: 'differs',
        published: 'another',
        expected: 'of the specification',
      },
    ]
  return checks
}

type Fields = {
  readonly ours: ReadonlyMap<string, CheckedValue>
  readonly theirs: ReadonlyMap<string, CheckedValue>
}

function compareField(field: string, { ours, theirs }: Fields): Check {
  const values = {
    field,
    published: theirs.get(field),
    expected: ours.get(field),
    ...(!theirs.has(field) && { note: 'missing from the report' }),
    ...(!ours.has(field) && { note: 'must not be in the report' }),
  }
  return FROM_INPUTS.test(field) ? compareWithInputs(values) : compare(values)
}
