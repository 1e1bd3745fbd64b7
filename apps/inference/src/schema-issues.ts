import { toIssues } from '@tollbook/endpoints/arguments/zod-issues'
import type { Issue } from '@tollbook/http/problem'
import type * as z from 'zod'

/** The issues of a nested value, each with its place below `place`; an empty place is the whole input. */
export function toNestedIssues(error: z.ZodError, provided: unknown, place: string): Issue[] {
  return toIssues(error.issues.flatMap(flatten), provided).map((issue) => {
    if (place === '') return issue
    return { ...issue, parameter: issue.parameter === 'body' ? place : `${place}.${issue.parameter}` }
  })
}

/** For a union of text and parts, the issues of the parts: a text has no issues of its own. */
function flatten(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return [issue]
  const deepest = issue.errors.find((errors) => errors.some(({ path }) => path.length > 0))
  if (!deepest) return [{ ...issue, code: 'custom', message: 'must be text or a list of parts' }]
  return deepest.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] })).flatMap(flatten)
}
