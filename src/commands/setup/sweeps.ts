import type { Logger } from 'pino'
import type { Sweep } from '../../runtime/selling/upkeep.ts'
import { sweepImages } from '../../social/image/image-store.ts'
import { sweepSessions } from '../../social/session/session-store.ts'
import { sweepWallets } from '../../utility/wallet/change-resource.ts'
import type { State } from '../state/state.ts'

/** What deletes the expired data of all services. */
export function listSweeps(state: State, logger: Logger): readonly Sweep[] {
  return [
    async (now, signal) => {
      const wallets = await sweepWallets(state, now, signal)
      if (wallets > 0) logger.info({ wallets }, 'deleted expired data of wallets')
    },
    (now) => sweepSessions(state, now),
    (now) => sweepImages(state, now),
  ]
}
