import { DatabaseAway } from '@tollbook/flow/database-away'
import { PROBLEMS, type Problem, type ProblemCode, ProblemError } from '../problem.ts'
import type { Reply } from './reply.ts'

const PROBLEM_TYPE = 'application/problem+json; charset=utf-8'
const JSON_TYPE = 'application/json; charset=utf-8'

/** The error envelope of an answer: RFC 9457, or that of a model API. */
export type Dialect = 'problem' | 'chat' | 'messages'

export type ProblemContext = {
  /** The service's public address, under which `/problems` explains every code. */
  readonly baseUrl: string
  /** Whether it has that page; default true. */
  readonly hasProblemsPage?: boolean | undefined
  readonly dialect?: Dialect | undefined
  readonly requestId?: string | undefined
}

/**
 * The problem for any thrown value: that of a ProblemError, `unavailable` while the database is away, otherwise `internal`, which
 * reveals nothing about the cause.
 */
export function toProblem(error: unknown): Problem {
  if (error instanceof ProblemError) return error.problem
  if (error instanceof DatabaseAway) return DATABASE_AWAY
  return {
    code: 'internal',
    detail: 'The service failed unexpectedly; its log has the details under the request id.',
  }
}

/** What was written last is uncertain, so that only the same payment is safe. */
const DATABASE_AWAY: Problem = {
  code: 'unavailable',
  detail: 'The database does not answer right now. Send the very same request and payment again.',
  retryAfterSeconds: 2,
  // Clients that retry on their own would sign a second payment.
  headers: { 'x-should-retry': 'false' },
}

/** Renders a problem as the reply of its endpoint's dialect. */
export function renderProblem(problem: Problem, context: ProblemContext): Reply {
  const body = JSON.stringify(toProblemBody(problem, context))
  const { bodyMembers } = problem
  return {
    body: bodyMembers === undefined ? body : `${body.slice(0, -1)},${bodyMembers}}`,
    status: PROBLEMS[problem.code].status,
    headers: {
      'content-type': context.dialect && context.dialect !== 'problem' ? JSON_TYPE : PROBLEM_TYPE,
      ...(problem.retryAfterSeconds !== undefined && { 'retry-after': `${problem.retryAfterSeconds}` }),
      ...problem.headers,
    },
  }
}

/** The body of a problem response: RFC 9457, or the error envelope of the endpoint's dialect. */
function toProblemBody(problem: Problem, context: ProblemContext): Record<string, unknown> {
  const document = toProblemDocument(problem, context)
  const details = problem.issues?.[0]?.details
  switch (context.dialect ?? 'problem') {
    case 'problem':
      return document
    case 'chat':
      return {
        error: {
          message: problem.detail,
          type: chatErrorType(PROBLEMS[problem.code].status),
          param: problem.issues?.[0]?.parameter ?? null,
          code: problem.code,
        },
        problem: document,
      }
    case 'messages':
      return {
        type: 'error',
        error: {
          type: messagesErrorType(PROBLEMS[problem.code].status),
          message: problem.detail,
          ...(details && { details }),
        },
        request_id: context.requestId ?? null,
        problem: document,
      }
  }
}

/** The problem as an RFC 9457 document; `type` links to the page that explains the code. */
function toProblemDocument(problem: Problem, context: ProblemContext): Record<string, unknown> {
  const { code, detail, issues, members } = problem
  const { status, title } = PROBLEMS[code]
  return {
    type: context.hasProblemsPage === false ? 'about:blank' : problemUrl(context.baseUrl, code),
    title,
    status,
    detail,
    code,
    ...(context.requestId !== undefined && { request_id: context.requestId }),
    // `faults` is the name of `issues` in version 1, for clients written before 1.1; it ends with 2.0.
    ...(issues && { issues, faults: issues }),
    ...members,
  }
}

/** The URL of the page that explains a code. */
function problemUrl(baseUrl: string, code: ProblemCode): string {
  return `${baseUrl}/problems#${code}`
}

function chatErrorType(status: number): string {
  if (status === 402) return 'payment_required'
  if (status === 403) return 'permission_error'
  if (status === 429) return 'rate_limit_error'
  return status < 500 ? 'invalid_request_error' : 'server_error'
}

/** The statuses and names of the messages dialect; its SDKs choose their error class by the status. */
const MESSAGES_ERROR_TYPES: Readonly<Record<number, string>> = {
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  503: 'overloaded_error',
  504: 'timeout_error',
}

function messagesErrorType(status: number): string {
  return MESSAGES_ERROR_TYPES[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error')
}
