import type { Logger } from 'pino'
import { sweepImages } from '../../social/image/image-store.ts'
import { sweepSessions } from '../../social/session/session-store.ts'
import type { State } from '../../state/state.ts'
import { sweepWallets } from '../../utility/sweep-wallets.ts'

const HOUR_MS = 3_600_000

/** Frees, once an hour, the disk of what has expired; nobody sees it any more in any case. */
export function startUpkeep({ state, logger }: { state: State; logger: Logger }): { close(): Promise<void> } {
  const end = new AbortController()
  let running: Promise<void> = Promise.resolve()
  const sweep = async () => {
    try {
      const wallets = await sweepWallets(state, new Date(), end.signal)
      if (wallets > 0) logger.info({ wallets }, 'what expired of wallets is deleted')
      await sweepSessions(state, new Date())
      await sweepImages(state, new Date())
    } catch (error) {
      if (!end.signal.aborted) logger.warn({ err: error }, 'what expired could not be deleted')
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
