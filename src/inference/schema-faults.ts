import type * as z from 'zod'
import { toFaults } from '../catalogue/arguments/zod-faults.ts'
import type { Fault } from '../catalogue/problem.ts'

/** What is wrong with a nested value, each fault with its place below `place`; an empty one is the whole input. */
export function toNestedFaults(error: z.ZodError, given: unknown, place: string): Fault[] {
  return toFaults(error.issues.flatMap(flatten), given).map((fault) => {
    if (place === '') return fault
    return { ...fault, parameter: fault.parameter === 'body' ? place : `${place}.${fault.parameter}` }
  })
}

/** Of a union of text and parts, what is wrong with the parts: a text has no faults of its own. */
function flatten(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return [issue]
  const deepest = issue.errors.find((errors) => errors.some(({ path }) => path.length > 0))
  if (!deepest) return [{ ...issue, code: 'custom', message: 'must be text or a list of parts' }]
  return deepest.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] })).flatMap(flatten)
}
