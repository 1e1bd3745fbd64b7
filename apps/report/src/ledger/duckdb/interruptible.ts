import type { DuckDBConnection } from '@duckdb/node-api'

const REPEAT_MS = 10

/** Runs work on a connection, and interrupts its statements once the signal ends. @throws the signal's reason */
export async function interruptible<Result>(
  connection: DuckDBConnection,
  signal: AbortSignal | undefined,
  work: () => Promise<Result>,
): Promise<Result> {
  let repeat: NodeJS.Timeout | undefined
  // Again and again: a statement that has not begun yet does not notice.
  const interrupt = () => {
    repeat = setInterval(() => connection.interrupt(), REPEAT_MS)
  }
  signal?.throwIfAborted()
  signal?.addEventListener('abort', interrupt)
  try {
    return await work()
  } catch (error) {
    signal?.throwIfAborted()
    throw error
  } finally {
    signal?.removeEventListener('abort', interrupt)
    clearInterval(repeat)
  }
}
