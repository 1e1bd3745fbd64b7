import { ProblemError } from '../../catalogue/problem.ts'
import { InvalidAnswer, Unreachable } from '../../fetching/failure.ts'
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

/** Name servers that gave no answer at all: what they would have said of the target is not known. */
const SILENT_NAME_SERVERS = new Set(['ETIMEOUT', 'ECONNREFUSED', 'EAI_AGAIN'])
/** This machine has no way to the address, such as to an IPv6 address without IPv6, or no connection to spare. */
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
 * Says why a target is down, from what its fetch threw.
 * @param parameter the field that held the URL
 * @throws ProblemError, which is not charged, when the target may not be reached, or when it is this service that
 * cannot reach it; anything unexpected as it is.
 */
export function explainDown(error: unknown, parameter: string): Down {
  if (error instanceof InvalidAnswer) return { code: 'invalid_answer', message: error.message }
  if (!(error instanceof Unreachable)) throw toFetchProblem(error, parameter)
  const codes = codesOf(error)
  const own = ownFault(error, codes)
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

/** What is wrong here rather than there; null when the target is to blame. */
function ownFault({ isLate, phase }: Unreachable, codes: readonly string[]): string | null {
  if (phase === 'dns' && (isLate || codes.some((code) => SILENT_NAME_SERVERS.has(code))))
    return 'The name servers of this service gave no answer, so the target was not asked.'
  if (phase === 'connect' && codes.length > 0 && codes.every((code) => NO_WAY_OUT.has(code)))
    return 'This service can open no connection to the address of the target.'
  return null
}

/** The codes of an error, of its causes and of the errors that it gathers, outermost first. */
function codesOf(error: unknown): readonly string[] {
  if (!(error instanceof Error)) return []
  const gathered: readonly unknown[] = error instanceof AggregateError ? error.errors : []
  const own = 'code' in error && typeof error.code === 'string' && gathered.length === 0 ? [error.code] : []
  return [...own, ...gathered.flatMap(codesOf), ...codesOf(error.cause)]
}
