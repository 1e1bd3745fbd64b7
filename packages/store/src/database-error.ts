import { DatabaseAway } from '@tollbook/flow/database-away'

/**
 * Connection exceptions (class 08), a server that shuts down, crashes or starts, a session that it ended as idle, a
 * server that only reads (a standby), and one with too many connections:
 * https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const AWAY = /^(?:08...|57P0[1235]|25006|53300)$/
/** Errors of sockets and of name resolution. */
const SOCKET =
  /^(?:ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|EAI_AGAIN)$/
/** Errors that `pg` and `pg-pool` throw without a code. */
const WORDS =
  /^(?:Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client (?:has encountered a connection error|was closed))/

/** An error of PostgreSQL as `DatabaseAway` if it means that its server is away; any other error as it is. */
export function toDatabaseError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof DatabaseAway) return error
  const code = 'code' in error ? String(error.code) : ''
  // Node tries each address of a name, and collects their errors.
  const isOfEach =
    error instanceof AggregateError && error.errors.every((one) => toDatabaseError(one) !== one)
  if (!AWAY.test(code) && !SOCKET.test(code) && !WORDS.test(error.message) && !isOfEach) return error
  return new DatabaseAway('the state database does not answer', { cause: error })
}
