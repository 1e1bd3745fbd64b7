import type { Issue } from '@tollbook/http/problem'
import type * as z from 'zod'

type ZodIssue = z.core.$ZodIssue

/** Converts zod's issues to those of a problem, in plain words and without the caller's values. */
export function toIssues(issues: readonly ZodIssue[], input: unknown): Issue[] {
  return issues.flatMap((issue) => {
    const parameter = issue.path.map(String).join('.') || 'body'
    if (issue.code === 'unrecognized_keys') {
      const prefix = issue.path.length > 0 ? `${parameter}.` : ''
      return issue.keys.map(
        (key): Issue => ({
          parameter: `${prefix}${key}`,
          detail: 'is not a known parameter',
          code: 'unknown_parameter',
        }),
      )
    }
    return [{ parameter, detail: isAbsent(issue, input) ? 'is required' : sayIssue(issue) }]
  })
}

function isAbsent(issue: ZodIssue, input: unknown): boolean {
  // An endpoint's own rule has its own message for a missing value.
  if (issue.code === 'custom') return false
  let value = input
  for (const key of issue.path) {
    if (typeof value !== 'object' || value === null) return false
    value = (value as Record<PropertyKey, unknown>)[key]
  }
  return value === undefined
}

function sayIssue(issue: ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${withArticle(issue.expected)}`
    case 'too_big':
      return saySize(issue.origin, issue.inclusive === false ? 'below' : 'at most', issue.maximum)
    case 'too_small':
      return saySize(issue.origin, issue.inclusive === false ? 'above' : 'at least', issue.minimum)
    case 'invalid_format':
      return isOwnWording(issue.message) ? issue.message : `must be a valid ${issue.format}`
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`
    case 'invalid_value':
      return issue.values.length === 1
        ? `must be ${String(issue.values[0])}`
        : `must be one of ${issue.values.map(String).join(', ')}`
    default:
      return isOwnWording(issue.message) ? issue.message : 'does not have an accepted format'
  }
}

function saySize(origin: string, bound: string, limit: number | bigint): string {
  if (origin === 'string') return `must have ${bound} ${limit} characters`
  if (origin === 'array' || origin === 'set') return `must have ${bound} ${limit} items`
  if (origin === 'file') return `must have ${bound} ${limit} bytes`
  return `must be ${bound} ${limit}`
}

function withArticle(expected: string): string {
  if (expected === 'int') return 'a whole number'
  return /^[aeiou]/.test(expected) ? `an ${expected}` : `a ${expected}`
}

/** Whether the endpoint's author wrote the message; zod's own messages begin with these words. */
function isOwnWording(message: string): boolean {
  return !/^(Invalid|Too (big|small)|Unrecognized)\b/.test(message)
}
