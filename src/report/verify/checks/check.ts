/** A value of a report as JSON has it; undefined where one side has no such field. */
export type CheckedValue = string | number | boolean | null | undefined

/**
 * What became of one field.
 * `equal`, `differs`: recomputed from the chain, from the rules, or from other fields, and compared.
 * `from_inputs`: no chain decides it; it equals what the published inputs say.
 * `not_checked`: nothing at hand decides it.
 */
export type Verdict = 'equal' | 'differs' | 'from_inputs' | 'not_checked'

/** One line of a verification. */
export type Check = {
  /** Path into the report, such as `flags.tiny_repeat.usd`; of other documents after their name, as `inputs.window`. */
  readonly field: string
  readonly verdict: Verdict
  readonly published: CheckedValue
  /** What it must be; absent where that is not known. */
  readonly expected?: CheckedValue
  /** For people: why, where the values do not say it. */
  readonly note?: string
}

export type Values = {
  readonly field: string
  readonly published: CheckedValue
  readonly expected: CheckedValue
  readonly note?: string
}

/** A field that was recomputed. */
export function compare(values: Values): Check {
  return { ...values, verdict: Object.is(values.published, values.expected) ? 'equal' : 'differs' }
}

/** A field that the inputs tell: a difference is one between two documents of the publisher. */
export function compareWithInputs(values: Values): Check {
  const check = compare(values)
  return check.verdict === 'equal' ? { ...check, verdict: 'from_inputs' } : check
}

/** A rule that holds or does not, where no single expected value exists. */
export function checkRule(isMet: boolean, check: Omit<Check, 'verdict' | 'expected'>): Check {
  return { ...check, verdict: isMet ? 'equal' : 'differs' }
}
