import type { Logger } from 'pino'
import { sweepImages } from '../../social/image/image-store.ts'
import { sweepSessions } from '../../social/session/session-store.ts'
import type { State } from '../../state/state.ts'
import { sweepWallets } from '../../utility/sweep-wallets.ts'

const HOUR_MS = 3_600_000

/** Deletes expired data once an hour to free disk space; it is already invisible before. */
export function startUpkeep({ state, logger }: { state: State; logger: Logger }): { close(): Promise<void> } {
  const end = new AbortController()
  let running: Promise<void> = Promise.resolve()
  const sweep = async () => {
    try {
      const wallets = await sweepWallets(state, new Date(), end.signal)
      if (wallets > 0) logger.info({ wallets }, 'deleted expired data of wallets')
      await sweepSessions(state, new Date())
      await sweepImages(state, new Date())
    } catch (error) {
      if (!end.signal.aborted) logger.warn({ err: error }, 'could not delete expired data')
    }
  }
  const timer = setInterval(() => {
    running = sweep()
  }, HOUR_MS)
  timer.unref()
  return {
    async close() {
      clearInterval(timer)
      end.abort(new Error('closing'))
      await running
    },
  }
}
