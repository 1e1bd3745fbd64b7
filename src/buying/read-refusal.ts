import * as z from 'zod'
import { PROBLEMS, type Problem, type ProblemCode } from '../http/problem.ts'

/** The problem of a 402 whose arguments are invalid; dialects put it next to their error. */
const FAULTY = z.object({
  detail: z.string(),
  faults: z.array(z.object({ parameter: z.string(), detail: z.string() })).default([]),
  refused_as: z.string(),
})
const FAULTY_ANSWER = z.union([FAULTY, z.object({ problem: FAULTY }).transform(({ problem }) => problem)])

/** The refusal that the body of a 402 announces for a paid request; null if it announces none. */
export function readRefusal(body: unknown): Problem | null {
  const read = FAULTY_ANSWER.safeParse(body)
  if (!read.success) return null
  const { faults, detail, refused_as: name } = read.data
  const text = faults.map((fault) => `${fault.parameter} ${fault.detail}`).join('; ') || detail
  return {
    code: isRefusal(name) ? name : 'invalid_request',
    detail: text,
    ...(faults.length > 0 && { faults }),
  }
}

function isRefusal(name: string): name is ProblemCode {
  return Object.hasOwn(PROBLEMS, name) && PROBLEMS[name as ProblemCode].status < 500
}
