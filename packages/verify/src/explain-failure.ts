import { PermanentError, RetryableError } from '@tollbook/flow/failure'
import { toPlainLine } from '@tollbook/flow/text/plain-line'
import { CannotCheck, UnusableDocument } from './published/failure.ts'

/** Exit codes of sysexits.h. */
const EX_DATAERR = 65
const EX_UNAVAILABLE = 69

const MAX_REASON_LENGTH = 1_000

export type Failure = { readonly exitCode: number; readonly reason: string }

/** Why a report could not be recomputed, with the exit code; null for bugs of this program. */
export function explainFailure(error: unknown): Failure | null {
  const exitCode = error instanceof UnusableDocument ? EX_DATAERR : EX_UNAVAILABLE
  const reason = reasonOf(error)
  return reason === null ? null : { exitCode, reason: toPlainLine(reason, MAX_REASON_LENGTH) }
}

function reasonOf(error: unknown): string | null {
  if (error instanceof UnusableDocument || error instanceof CannotCheck) return error.message
  if (error instanceof RetryableError) return error.message
  // A request that one node refuses or answers incorrectly may succeed on another.
  if (error instanceof PermanentError) return `${error.message}; try a node that stores all blocks and logs`
  return null
}
