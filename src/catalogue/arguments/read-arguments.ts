import { type Fault, PROBLEMS, type Problem } from '../../http/problem.ts'
import type { Endpoint } from '../endpoint.ts'
import type { ReadRequest } from '../exchange.ts'
import type { GivenArguments } from './given-arguments.ts'
import { toFaults } from './zod-faults.ts'

const MAX_FAULTS = 20

type Asked = {
  readonly endpoint: Endpoint
  readonly ports: unknown
  readonly given: GivenArguments
  readonly isPartial: boolean
}

/**
 * Validates arguments by schema and check. With `isPartial` the body has not been read: missing fields are
 * no faults, and the check does not run.
 */
export function readArguments(
  { endpoint, ports }: { readonly endpoint: Endpoint; readonly ports: unknown },
  given: GivenArguments,
  isPartial = false,
): ReadRequest | { readonly problem: Problem } {
  const parsed = endpoint.input.safeParse(given.values)
  if (parsed.success && given.faults.length === 0)
    return checkInput(parsed.data, { endpoint, ports, given, isPartial })
  const faulty = new Set(given.faults.map((fault) => fault.parameter))
  const issues = (parsed.error?.issues ?? []).filter((issue: { path: PropertyKey[] }) => {
    const name = String(issue.path[0] ?? '')
    return !faulty.has(name) && (!isPartial || name in given.values)
  })
  const faults = [...given.faults, ...toFaults(issues, given.values)]
  if (faults.length > 0) return { problem: toArgumentProblem(faults) }
  // Partial arguments without a fault: nothing more can be checked.
  return { input: given.values, files: given.files }
}

/** The endpoint's own check of an input that matches its schema. */
function checkInput(parsed: object, asked: Asked): ReadRequest | { readonly problem: Problem } {
  const { endpoint, ports, given, isPartial } = asked
  const input: Record<string, unknown> = { ...parsed }
  for (const name of given.furtherNames) input[name] ??= given.values[name]
  const faults = isPartial ? [] : (endpoint.check?.(input, ports, given.files) ?? [])
  return faults.length > 0 ? { problem: toArgumentProblem(faults) } : { input, files: given.files }
}

/** One problem for several faults; the fault with the lowest status comes first and determines the code. */
function toArgumentProblem(faults: readonly Fault[]): Problem {
  const sorted = [...faults].sort((a, b) => statusOf(a) - statusOf(b)).slice(0, MAX_FAULTS)
  const sentences = sorted.map((fault) => `${fault.parameter} ${fault.detail}`)
  return {
    code: sorted[0]?.code ?? 'invalid_request',
    detail: `${sentences.join('; ')}.`,
    faults: sorted,
  }
}

function statusOf(fault: Fault): number {
  return PROBLEMS[fault.code ?? 'invalid_request'].status
}
