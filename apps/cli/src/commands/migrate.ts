import { runOnce } from '@tollbook/runtime/process/shutdown'
import { withStateUrl } from '@tollbook/runtime/state/store'
import type { Command } from './command.ts'
import { migrateState } from './migrations/migrate-state.ts'
import { openState } from './state/open.ts'

export const migrate: Command = {
  name: 'migrate',
  usage: '',
  options: {},
  async run() {
    return runOnce(async (config, shutdown) => {
      const applied = await withStateUrl(config, async (url) => {
        const state = await openState(url)
        shutdown.onClose(() => state.close())
        return migrateState(state)
      })
      const text = applied.length === 0 ? 'nothing to do' : applied.join('\n')
      process.stdout.write(`${text}\n`)
    })
  },
}
