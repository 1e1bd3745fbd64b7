import { type Config, loadConfig } from '../config.ts'
import { keepFilesPrivate } from './private-files.ts'

/** Closes the resources of a command in reverse order when it is stopped or fails. */
export type Shutdown = {
  /** Aborts as soon as the process is stopped, or closes for another reason. */
  readonly signal: AbortSignal
  /** Resolves to the exit code when the process is to stop; rejects when a part failed. */
  readonly requested: Promise<number>
  /** A resource that opens after `close` is closed at once. */
  onClose(close: () => Promise<void>): void
  /** Stops the process in order; the reason, if any, is printed. */
  stop(code: number, reason?: string | null): void
  fail(error: Error): void
  close(): Promise<void>
}

export function createShutdown(): Shutdown {
  const closers: (() => Promise<void>)[] = []
  let isClosed = false
  const end = new AbortController()
  const { promise: requested, resolve, reject } = Promise.withResolvers<number>()
  const finish = () => end.abort(new Error('the process received a signal to stop'))
  // It may fail before it is awaited.
  requested.then(finish, finish)
  return {
    signal: end.signal,
    requested,
    onClose(close) {
      if (isClosed) close().catch(() => {})
      else closers.push(close)
    },
    stop(code, reason = null) {
      if (reason !== null) process.stderr.write(`tollbook: ${reason}\n`)
      resolve(code)
    },
    fail: reject,
    async close() {
      finish()
      isClosed = true
      for (const close of closers.splice(0).reverse()) await close()
    },
  }
}

function loadPrivately(): Config {
  const config = loadConfig()
  keepFilesPrivate(config)
  return config
}

/** A second signal ends the process at once. */
function stopOnSignals(shutdown: Shutdown): void {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, () => shutdown.stop(0))
}

/**
 * Runs a long-running command: its resources serve until the process is stopped, and are then closed.
 * @param stopOn what stops it, by default a signal
 * @returns the exit code
 */
export async function runUntilStopped(
  open: (config: Config, shutdown: Shutdown) => Promise<void>,
  stopOn: (shutdown: Shutdown) => void = stopOnSignals,
): Promise<number> {
  const config = loadPrivately()
  const shutdown = createShutdown()
  stopOn(shutdown)
  try {
    const opening = open(config, shutdown)
    // A signal during opening aborts it.
    opening.catch(() => {})
    await Promise.race([opening, shutdown.requested])
    return await shutdown.requested
  } finally {
    await shutdown.close()
  }
}

/** Runs a command that ends by itself, and closes its resources; a signal aborts it. */
export async function runOnce(work: (config: Config, shutdown: Shutdown) => Promise<void>): Promise<number> {
  const config = loadPrivately()
  const shutdown = createShutdown()
  stopOnSignals(shutdown)
  try {
    await work(config, shutdown)
    return 0
  } finally {
    await shutdown.close()
  }
}
