import { isDiskFull } from '@tollbook/flow/disk-full'
import { PermanentError, RetryableError } from '@tollbook/flow/failure'
import { isFullByText, LedgerDiskFull } from '../engine/ledger-disk-full.ts'

/** Only one process at a time can open a ledger's file. */
export class LedgerHeld extends PermanentError {
  override readonly name = 'LedgerHeld'
  /** The process that has opened it, such as `process 4711`, as far as DuckDB knows. */
  readonly holder: string | null

  constructor(folder: string, cause: Error) {
    const pid = /\(PID (\d+)\)/.exec(cause.message)?.[1]
    const holder = pid === undefined ? null : `process ${pid}`
    super(`the ledger in ${folder} is in use by ${holder ?? 'another process'}; stop it first`, { cause })
    this.holder = holder
  }
}

/** An error of DuckDB as one that states whether to retry; its text begins with the kind, such as `IO Error:`. */
export function toDuckdbFailure(error: unknown, folder: string): unknown {
  if (!(error instanceof Error) || error.name === 'AbortError') return error
  if (error instanceof RetryableError || error instanceof PermanentError) return error
  const { message } = error
  if (isDiskFull(error) || isFullByText(message)) return new LedgerDiskFull(folder, error)
  if (/Could not set lock on file/.test(message)) return new LedgerHeld(folder, error)
  if (/not a valid DuckDB database file/.test(message)) {
    return new PermanentError(
      `the ledger in ${folder} cannot be read; move the folder away: its payments are read from the chain again`,
      { cause: error },
    )
  }
  if (!/^[A-Z][A-Za-z-]*( [A-Za-z]+)* Error: /.test(message)) return error
  // The first line states the error; the rest repeats the statement, which may be long.
  const reason = message.split('\n')[0]?.slice(0, 300)
  const Failure = /^(Out of Memory|FATAL|TransactionContext) Error/.test(message)
    ? RetryableError
    : PermanentError
  return new Failure(`DuckDB rejected a statement: ${reason}`, { cause: error })
}

/** Whether the same transaction may succeed when it runs again. */
export function isConflict(error: unknown): boolean {
  const message = error instanceof Error ? error.message : ''
  return /TransactionContext Error: .*conflict|write-write conflict/i.test(message)
}

/** Whether the file must be opened again before anything works. */
export function isInvalidated(error: unknown): boolean {
  return error instanceof Error && /database has been invalidated|^FATAL Error/.test(error.message)
}
