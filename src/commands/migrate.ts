import { migrateState } from '../state/migrate.ts'
import { openState } from '../state/open.ts'
import type { Command } from './command.ts'
import { runOnce } from './setup/shutdown.ts'
import { stateUrlOf } from './setup/state-url.ts'

export const migrate: Command = {
  name: 'migrate',
  summary: 'Apply pending migrations of the state, as every start does.',
  usage: '',
  options: {},
  async run() {
    return runOnce(async (config, shutdown) => {
      const state = await openState(stateUrlOf(config))
      shutdown.onClose(() => state.close())
      const applied = await migrateState(state)
      const text = applied.length === 0 ? 'nothing to do' : applied.join('\n')
      process.stdout.write(`${text}\n`)
    })
  },
}
