import { ClickHouseError } from '@clickhouse/client'
import { isDiskFull } from '@tollbook/flow/disk-full'
import { PermanentError, RetryableError, Unreachable } from '@tollbook/flow/failure'
import { isFullByText, LedgerDiskFull } from '../engine/ledger-disk-full.ts'

/**
 * Transient errors, by their code in ClickHouse's src/Common/ErrorCodes.cpp: timeouts, too many queries or
 * parts, memory used by other queries, and unreachable servers of a cluster.
 */
const PASSING_CODES: ReadonlySet<string> = new Set([
  '159',
  '160',
  '202',
  '203',
  '209',
  '210',
  '241',
  '242',
  '252',
  '279',
  '285',
  '319',
  '425',
  '439',
])

/** NOT_ENOUGH_SPACE in ClickHouse's src/Common/ErrorCodes.cpp. */
const NOT_ENOUGH_SPACE = '243'

/** Runs work of an engine; converts its errors into ones that state whether to retry. */
export async function withEngineFailures<Result>(
  where: string,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw toEngineFailure(error, where)
  }
}

function toEngineFailure(error: unknown, where: string): unknown {
  if (error instanceof RetryableError || error instanceof PermanentError) return error
  if (!(error instanceof Error) || error.name === 'AbortError') return error
  const code = clickhouseCodeOf(error)
  if (isDiskFull(error) || code === NOT_ENOUGH_SPACE || isFullByText(error.message)) {
    return new LedgerDiskFull(where, error)
  }
  if (code !== null) {
    // The first line states the error; the rest repeats the statement, which may be long.
    const reason = error.message.split('\n')[0]?.slice(0, 300)
    const isTransient = PASSING_CODES.has(code) || isCutOff(code, error.message)
    const Failure = isTransient ? RetryableError : PermanentError
    return new Failure(`ClickHouse rejected a statement (code ${code}): ${reason}`, { cause: error })
  }
  if (isNetworkFailure(error)) {
    return new Unreachable(`the ledger at ${where} does not answer`, { cause: error })
  }
  return error
}

/** ATTEMPT_TO_READ_AFTER_EOF: of a server of the cluster that ended while it answered; otherwise of broken data. */
function isCutOff(code: string, message: string): boolean {
  return code === '32' && message.includes('while receiving packet')
}

/** Servers such as 18.16 answer in text: `Code: 279, e.displayText() = …`. */
function clickhouseCodeOf(error: Error): string | null {
  if (error instanceof ClickHouseError) return error.code
  return /^Code: (\d+)(?:\.|, e\.displayText\(\) =) DB::/.exec(error.message)?.[1] ?? null
}

/** The client throws the errors of Node's sockets, and its own message on a timeout. */
function isNetworkFailure(error: Error): boolean {
  return (
    'syscall' in error || /^E[A-Z]+$/.test(codeOf(error)) || /timeout|socket hang up/i.test(error.message)
  )
}

function codeOf(error: Error): string {
  return 'code' in error ? String(error.code) : ''
}
