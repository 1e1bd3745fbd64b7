import { onSqliteStateUrl } from '../../../testing/state/every-state.ts'
import { checkNothingLost, writeUntilKilled } from '../../../testing/wallets/kill-writers.ts'
import { migrateState } from '../../commands/state/migrate.ts'
import { openState } from '../../commands/state/open.ts'

onSqliteStateUrl(
  'every change acknowledged to two killed writers of a wallet is stored and counted',
  async (url) => {
    const state = await openState(url)
    try {
      await migrateState(state)
      const killed = await Promise.all([writeUntilKilled(url, 'a', 60), writeUntilKilled(url, 'b', 110)])
      await checkNothingLost(state, killed.flat())
    } finally {
      await state.close()
    }
  },
)
