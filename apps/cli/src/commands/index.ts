import { withInstalled } from './apps.ts'
import type { Command } from './command.ts'
import { findFileIssues } from './file-issues.ts'
import { openStore } from './open-store.ts'

export const index: Command = {
  name: 'index',
  usage: '',
  notes: [
    'Runs until it is stopped, and may be killed at any moment. Needs TOLLBOOK_CHAIN_RPC_URL, or the local chain of a',
    'running tollbook start; no wallet and no key. Of several indexers with one PostgreSQL state, one works and the',
    'others wait to take over; with a SQLite state, start only one.',
  ],
  options: {
    'again-from': {
      type: 'string',
      value: 'block|day',
      help: 'read the blocks from there on again, as after an update that reads more',
    },
  },
  async run({ values }) {
    const { runIndex } = await import('@tollbook/report/commands/run-index')
    return runIndex(values, {
      openState: openStore,
      complete: withInstalled,
      findIssues: (config) => findFileIssues(config, ['index']),
    })
  },
}
