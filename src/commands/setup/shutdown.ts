import { type Config, loadConfig } from '../../config.ts'
import { keepFilesPrivate } from './private-files.ts'

/** What a command opened, closed last opened first, when it is asked to end or something fails. */
export type Shutdown = {
  /** Aborts as soon as the process is asked to end, or closes for another reason. */
  readonly signal: AbortSignal
  /** Resolves when the process is asked to end by SIGTERM or SIGINT; rejects when a part failed. */
  readonly requested: Promise<void>
  onClose(close: () => Promise<void>): void
  fail(error: Error): void
  close(): Promise<void>
}

export function createShutdown(): Shutdown {
  const closers: (() => Promise<void>)[] = []
  const end = new AbortController()
  const { promise: requested, resolve, reject } = Promise.withResolvers<void>()
  const finish = () => end.abort(new Error('the process is asked to end'))
  // Nobody may wait for it yet when it fails.
  requested.then(finish, finish)
  process.once('SIGTERM', () => resolve())
  process.once('SIGINT', () => resolve())
  return {
    signal: end.signal,
    requested,
    onClose(close) {
      closers.push(close)
    },
    fail: reject,
    async close() {
      finish()
      for (const close of closers.splice(0).reverse()) await close()
    },
  }
}

function loadPrivately(): Config {
  const config = loadConfig()
  keepFilesPrivate(config)
  return config
}

/** Runs a command that lasts: what it opens serves until the process is asked to end, and is closed then. */
export async function runUntilAsked(
  open: (config: Config, shutdown: Shutdown) => Promise<void>,
): Promise<number> {
  const config = loadPrivately()
  const shutdown = createShutdown()
  try {
    const opening = open(config, shutdown)
    // Asked to end while it opens, it is given up.
    opening.catch(() => {})
    await Promise.race([opening, shutdown.requested])
    await shutdown.requested
    return 0
  } finally {
    await shutdown.close()
  }
}

/** Runs a command that ends by itself, and closes what it opened; asked to end before, it is cut off. */
export async function runOnce(work: (config: Config, shutdown: Shutdown) => Promise<void>): Promise<number> {
  const config = loadPrivately()
  const shutdown = createShutdown()
  try {
    await work(config, shutdown)
    return 0
  } finally {
    await shutdown.close()
  }
}
