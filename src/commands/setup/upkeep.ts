import type { Logger } from 'pino'
import { startTicker, type Ticker } from '../../flow/ticker.ts'
import { sweepImages } from '../../social/image/image-store.ts'
import { sweepSessions } from '../../social/session/session-store.ts'
import { sweepWallets } from '../../utility/wallet/change-resource.ts'
import type { State } from '../state/state.ts'

const HOUR_MS = 3_600_000

/** Deletes expired data once an hour to free disk space; it is already invisible before. */
export function startUpkeep({ state, logger }: { state: State; logger: Logger }): Ticker {
  return startTicker({
    everyMs: HOUR_MS,
    async work(signal) {
      const wallets = await sweepWallets(state, new Date(), signal)
      if (wallets > 0) logger.info({ wallets }, 'deleted expired data of wallets')
      await sweepSessions(state, new Date())
      await sweepImages(state, new Date())
    },
    onError: (error) => logger.warn({ err: error }, 'could not delete expired data'),
  })
}
