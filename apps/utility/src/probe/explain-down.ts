import { InvalidAnswer, Unreachable } from '@tollbook/flow/failure'
import { ProblemError } from '@tollbook/http/problem'
import { toFetchProblem } from '../page/fetch-problem.ts'

export const DOWN_CODES = [
  'dns_failed',
  'connection_refused',
  'connection_reset',
  'host_unreachable',
  'tls_failed',
  'timeout',
  'invalid_answer',
  'no_answer',
  'server_error',
] as const

/** Why a target counts as down. */
export type Down = { readonly code: (typeof DOWN_CODES)[number]; readonly message: string }

/** Name servers that did not answer at all: the state of the target is unknown. */
const SILENT_NAME_SERVERS = new Set(['ETIMEOUT', 'ECONNREFUSED', 'EAI_AGAIN'])
/** This machine has no route to the address, such as to an IPv6 address without IPv6, or no free connection. */
const NO_WAY_OUT = new Set(['ENETUNREACH', 'ENETDOWN', 'EADDRNOTAVAIL', 'EMFILE', 'ENFILE', 'ENOBUFS'])

const BY_CODE: Readonly<Record<string, Down['code']>> = {
  ECONNREFUSED: 'connection_refused',
  ECONNRESET: 'connection_reset',
  EPIPE: 'connection_reset',
  EHOSTUNREACH: 'host_unreachable',
  EHOSTDOWN: 'host_unreachable',
  ETIMEDOUT: 'timeout',
}

/**
 * Explains why a target is down, from the error of its fetch.
 * @param parameter the field that held the URL
 * @throws ProblemError, which is not charged, if the target is not allowed, or if this service cannot reach
 * it for a local reason; unexpected errors unchanged.
 */
export function explainDown(error: unknown, parameter: string): Down {
  if (error instanceof InvalidAnswer) return { code: 'invalid_answer', message: error.message }
  if (!(error instanceof Unreachable)) throw toFetchProblem(error, parameter)
  const codes = codesOf(error)
  const own = localReason(error, codes)
  if (own !== null) {
    throw new ProblemError({ code: 'upstream_failed', detail: own, retryAfterSeconds: 5 }, { cause: error })
  }
  const [system] = codes
  const message = system === undefined ? error.message : `${error.message} (${system})`
  return { code: codeOf(error, codes), message }
}

function codeOf({ isLate, phase }: Unreachable, codes: readonly string[]): Down['code'] {
  if (phase === 'dns') return 'dns_failed'
  if (isLate) return 'timeout'
  const known = codes.map((code) => BY_CODE[code]).find((code) => code !== undefined)
  return known ?? (phase === 'tls' ? 'tls_failed' : 'no_answer')
}

/** A local reason for the failure; null if the target is the cause. */
function localReason({ isLate, phase }: Unreachable, codes: readonly string[]): string | null {
  if (phase === 'dns' && (isLate || codes.some((code) => SILENT_NAME_SERVERS.has(code))))
    return 'The name servers of this service did not answer, so the target was not contacted.'
  if (phase === 'connect' && codes.length > 0 && codes.every((code) => NO_WAY_OUT.has(code)))
    return 'This service cannot open a connection to the address of the target.'
  return null
}

/** The codes of an error, of its causes and of its aggregated errors, outermost first. */
function codesOf(error: unknown): readonly string[] {
  if (!(error instanceof Error)) return []
  const gathered: readonly unknown[] = error instanceof AggregateError ? error.errors : []
  const own = 'code' in error && typeof error.code === 'string' && gathered.length === 0 ? [error.code] : []
  return [...own, ...gathered.flatMap(codesOf), ...codesOf(error.cause)]
}
