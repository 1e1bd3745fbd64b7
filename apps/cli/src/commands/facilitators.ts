import type { Command } from './command.ts'

export const facilitators: Command = {
  name: 'facilitators',
  usage: '[list | refresh] [options]',
  examples: [
    'facilitators refresh',
    'facilitators refresh --from http://127.0.0.1:4025',
    'facilitators refresh --write facilitators.json',
  ],
  notes: [
    'refresh requests GET /supported of each facilitator and prints the wallets that the list lacks. Review them:',
    'every transfer with an authorization that one of these wallets sends counts as a payment.',
    'With --write they become a file for TOLLBOOK_FACILITATORS_FILE, together with the changes of the current one.',
  ],
  exitCodes: { 1: 'refresh found wallets that the list lacks' },
  options: {
    from: {
      type: 'string',
      multiple: true,
      value: 'url',
      help: 'request this service instead of the bundled ones',
    },
    write: { type: 'string', value: 'file', help: 'write the list with the wallets found to this new file' },
    json: { type: 'boolean', help: 'print JSON' },
  },
  async run(called) {
    const { runFacilitators } = await import('@tollbook/report/commands/run-facilitators')
    return runFacilitators(called)
  },
}
