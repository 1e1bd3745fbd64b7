import { onSqliteStateUrl } from '@tollbook/testing/state/every-state'
import { openStateAt } from '@tollbook/testing/state/open-state-at'
import { checkNothingLost, writeUntilKilled } from '@tollbook/testing/wallets/kill-writers'

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
