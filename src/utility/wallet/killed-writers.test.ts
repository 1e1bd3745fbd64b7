import { onSqliteStateUrl } from '../../../testing/state/every-state.ts'
import { openStateAt } from '../../../testing/state/open-state-at.ts'
import { checkNothingLost, writeUntilKilled } from '../../../testing/wallets/kill-writers.ts'

onSqliteStateUrl(
  'every change acknowledged to two killed writers of a wallet is stored and counted',
  async (url) => {
    const state = await openStateAt(url)
    try {
      const killed = await Promise.all([writeUntilKilled(url, 'a', 60), writeUntilKilled(url, 'b', 110)])
      await checkNothingLost(state, killed.flat())
    } finally {
      await state.close()
    }
  },
)
