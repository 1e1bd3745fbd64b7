import { loadConfig } from '@tollbook/runtime/config'
import type { Command } from './command.ts'
import { chooseRpcUrl, RPC_HELP } from './verify/rpc-url.ts'

export const report: Command = {
  name: 'report',
  usage: '<address> [options]',
  examples: ['report 0xf400b45c19097db4a0cd2efbe65c7d276827edbe --discovery http://127.0.0.1:4022'],
  options: {
    week: { type: 'string', value: 'date', help: 'the week that ends on this Sunday, YYYY-MM-DD' },
    'end-block': {
      type: 'string',
      value: 'number',
      help: 'the seven days before this block (default: the newest final one)',
    },
    rpc: { type: 'string', value: 'url', help: RPC_HELP },
    discovery: {
      type: 'string',
      multiple: true,
      value: 'url',
      help: 'a service whose /discovery/resources is read for listings',
    },
    facilitator: {
      type: 'string',
      multiple: true,
      value: 'address',
      help: 'a further facilitator, in addition to the known ones',
    },
    json: { type: 'boolean', help: 'print the JSON object that a server publishes' },
  },
  async run({ values, positionals }) {
    const { runReport } = await import('@tollbook/report/commands/run-report')
    const config = loadConfig()
    return runReport({ values, positionals, config, rpcUrl: chooseRpcUrl(values.rpc, config) })
  },
}
