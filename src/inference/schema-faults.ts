import type * as z from 'zod'
import { toFaults } from '../catalogue/arguments/zod-faults.ts'
import type { Fault } from '../http/problem.ts'

/** The faults of a nested value, each with its place below `place`; an empty place is the whole input. */
export function toNestedFaults(error: z.ZodError, provided: unknown, place: string): Fault[] {
  return toFaults(error.issues.flatMap(flatten), provided).map((fault) => {
    if (place === '') return fault
    return { ...fault, parameter: fault.parameter === 'body' ? place : `${place}.${fault.parameter}` }
  })
}

/** For a union of text and parts, the faults of the parts: a text has no faults of its own. */
function flatten(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return [issue]
  const deepest = issue.errors.find((errors) => errors.some(({ path }) => path.length > 0))
  if (!deepest) return [{ ...issue, code: 'custom', message: 'must be text or a list of parts' }]
  return deepest.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] })).flatMap(flatten)
}
