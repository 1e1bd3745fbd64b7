/** A value of a report in JSON; undefined where one side has no such field. */
export type CheckedValue = string | number | boolean | null | undefined

/**
 * `equal`, `differs`: recomputed and compared. `from_inputs`: not on the chain, equals the published inputs.
 * `not_checked`: cannot be decided from the available data.
 */
export type Verdict = 'equal' | 'differs' | 'from_inputs' | 'not_checked'

export type Check = {
  /** Path such as `flags.tiny_repeat.usd`; for other documents with their name, as `inputs.window`. */
  readonly field: string
  readonly verdict: Verdict
  readonly published: CheckedValue
  /** The expected value; absent where it is unknown. */
  readonly expected?: CheckedValue
  /** For readers: the reason, where the values do not show it. */
  readonly note?: string
}

type Values = Omit<Check, 'verdict'> & { readonly expected: CheckedValue }

export function compare(values: Values): Check {
  return { ...values, verdict: Object.is(values.published, values.expected) ? 'equal' : 'differs' }
}

/** Compares a field with the inputs: a difference is one between two documents of the publisher. */
export function compareWithInputs(values: Values): Check {
  const check = compare(values)
  return check.verdict === 'equal' ? { ...check, verdict: 'from_inputs' } : check
}

/** Checks a rule without a single expected value. */
export function checkRule(isMet: boolean, check: Omit<Check, 'verdict' | 'expected'>): Check {
  return { ...check, verdict: isMet ? 'equal' : 'differs' }
}
