import type { Command } from './command.ts'
import { openCommandState } from './open-store.ts'

export const disputes: Command = {
  name: 'disputes',
  usage: '[list | show <id> | close <id>]  (an id may be shortened to its first characters)',
  examples: ['disputes', 'disputes show 1f3c', 'disputes close 1f3c'],
  exitCodes: { 1: 'no such note, or already closed' },
  options: {
    all: { type: 'boolean', help: 'include closed notes' },
    json: { type: 'boolean', help: 'print JSON' },
  },
  async run(called) {
    const { runDisputes } = await import('@tollbook/report/commands/run-disputes')
    return runDisputes(called, openCommandState)
  },
}
