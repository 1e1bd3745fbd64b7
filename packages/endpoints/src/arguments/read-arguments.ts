import type { ReadRequest } from '@tollbook/gate/contract/exchange'
import { type Issue, PROBLEMS, type Problem } from '@tollbook/http/problem'
import type { Endpoint } from '../endpoint.ts'
import type { GivenArguments } from './given-arguments.ts'
import { toIssues } from './zod-issues.ts'

const MAX_ISSUES = 20

type Asked = {
  readonly endpoint: Endpoint
  readonly ports: unknown
  readonly given: GivenArguments
  readonly isPartial: boolean
}

/**
 * Validates arguments by schema and check. With `isPartial` the body has not been read: missing fields are
 * no issues, and the check does not run.
 */
export function readArguments(
  { endpoint, ports }: { readonly endpoint: Endpoint; readonly ports: unknown },
  given: GivenArguments,
  isPartial = false,
): ReadRequest | { readonly problem: Problem } {
  const parsed = endpoint.input.safeParse(given.values)
  if (parsed.success && given.issues.length === 0)
    return checkInput(parsed.data, { endpoint, ports, given, isPartial })
  const invalid = new Set(given.issues.map((issue) => issue.parameter))
  const unmet = (parsed.error?.issues ?? []).filter((issue: { path: PropertyKey[] }) => {
    const name = String(issue.path[0] ?? '')
    return !invalid.has(name) && (!isPartial || name in given.values)
  })
  const issues = [...given.issues, ...toIssues(unmet, given.values)]
  if (issues.length > 0) return { problem: toArgumentProblem(issues) }
  // Partial arguments without an issue: nothing more can be checked.
  return { input: given.values, files: given.files }
}

/** The endpoint's own check of an input that matches its schema. */
function checkInput(parsed: object, asked: Asked): ReadRequest | { readonly problem: Problem } {
  const { endpoint, ports, given, isPartial } = asked
  const input: Record<string, unknown> = { ...parsed }
  for (const name of given.furtherNames) input[name] ??= given.values[name]
  const issues = isPartial ? [] : (endpoint.check?.(input, ports, given.files) ?? [])
  return issues.length > 0 ? { problem: toArgumentProblem(issues) } : { input, files: given.files }
}

/** One problem for several issues; the issue with the lowest status comes first and determines the code. */
function toArgumentProblem(issues: readonly Issue[]): Problem {
  const sorted = [...issues].sort((a, b) => statusOf(a) - statusOf(b)).slice(0, MAX_ISSUES)
  const sentences = sorted.map((issue) => `${issue.parameter} ${issue.detail}`)
  return {
    code: sorted[0]?.code ?? 'invalid_request',
    detail: `${sentences.join('; ')}.`,
    issues: sorted,
  }
}

function statusOf(issue: Issue): number {
  return PROBLEMS[issue.code ?? 'invalid_request'].status
}
