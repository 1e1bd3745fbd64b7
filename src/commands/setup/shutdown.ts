/** Closes what a command opened, last opened first, when it is asked to end or something fails. */
export function createShutdown() {
  const closers: (() => Promise<void>)[] = []
  const { promise: requested, resolve, reject } = Promise.withResolvers<void>()
  // Nobody may wait for it yet when it fails.
  requested.catch(() => {})
  process.once('SIGTERM', () => resolve())
  process.once('SIGINT', () => resolve())
  return {
    /** Resolves when the process is asked to end by SIGTERM or SIGINT; rejects when a part failed. */
    requested,
    onClose(close: () => Promise<void>): void {
      closers.push(close)
    },
    fail: reject,
    async close(): Promise<void> {
      for (const close of closers.splice(0).reverse()) await close()
    },
  }
}
