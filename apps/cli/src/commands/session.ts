import type { Command } from './command.ts'
import { openCommandState } from './open-store.ts'

export const session: Command = {
  name: 'session',
  usage: '<username> [options]',
  examples: ['session jun_sample', 'session jun_sample --revoke'],
  notes: [
    'A session lasts 30 days. Send its values as the headers X-Auth-Token and X-Ct0, see docs/social.md.',
  ],
  exitCodes: { 1: 'no such user is stored' },
  options: {
    revoke: { type: 'boolean', help: 'end all sessions of the user instead' },
    json: { type: 'boolean', help: 'print JSON' },
  },
  async run(called) {
    const { runSession } = await import('@tollbook/social/commands/run-session')
    return runSession(called, openCommandState)
  },
}
