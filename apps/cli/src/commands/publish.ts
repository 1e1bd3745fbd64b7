import { withInstalled } from './apps.ts'
import type { Command } from './command.ts'
import { openStore } from './open-store.ts'

export const publish: Command = {
  name: 'publish',
  usage: '[--week <date> --correct <reason>]',
  examples: ['publish', "publish --week 2026-11-15 --correct 'a facilitator was missing'"],
  notes: [
    'With the default ledger, DuckDB, stop the indexer or tollbook start first: only one process can open its folder.',
    'tollbook start and tollbook index publish automatically.',
  ],
  options: {
    week: { type: 'string', value: 'YYYY-MM-DD', help: 'the last day of the week to correct' },
    correct: {
      type: 'string',
      value: 'reason',
      help: 'compute the week again, and publish a revision with this reason if figures differ',
    },
  },
  async run(called) {
    const { runPublish } = await import('@tollbook/report/commands/run-publish')
    return runPublish(called.values, { openState: openStore, complete: withInstalled })
  },
}
