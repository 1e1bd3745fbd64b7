import { once } from 'node:events'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { PRODUCT } from '@tollbook/endpoints/documents/product-version'
import { createMcpServer } from '@tollbook/pay/mcp/create-server'
import type { Config } from '@tollbook/runtime/config'
import { findBaseUrl } from '@tollbook/runtime/places/addresses'
import { openLog } from '@tollbook/runtime/process/open-log'
import { runOnce } from '@tollbook/runtime/process/shutdown'
import { withInstalled } from './apps.ts'
import { findSilence } from './call/find-silence.ts'
import { BUDGET_OPTIONS, openBuyer } from './call/open-buyer.ts'
import { type Command, toOrigin } from './command.ts'

export const mcp: Command = {
  name: 'mcp',
  usage: '[url…] --budget <usd> [options]',
  examples: [
    'mcp --budget 1.00 --max 0.05',
    'mcp https://api.example --budget 5 --confirm --log ~/spending.sqlite',
  ],
  notes: [
    'Without URLs it uses the services of this machine. Standard output carries only MCP. The same wallet pays as for',
    'tollbook call. docs/agents.md has the lines for the configuration of agents.',
  ],
  options: {
    ...BUDGET_OPTIONS,
    allow: {
      type: 'string',
      multiple: true,
      value: 'host',
      help: 'another host that may be paid, by its address; repeatable',
    },
    confirm: {
      type: 'boolean',
      help: 'a person confirms each payment: the client asks (elicitation), or shows the price of a quote before buy',
    },
  },
  run: ({ values, positionals }) =>
    runOnce(async (config, shutdown) => {
      // For errors that end the process; standard error.
      openLog(config)
      const services = positionals.length > 0 ? positionals.map(toOrigin) : await ownServices(config)
      const allowed = Array.isArray(values.allow) ? values.allow.map(toOrigin) : []
      const { buyer } = await openBuyer(config, values, shutdown)
      const { version } = PRODUCT
      const confirms = values.confirm === true
      const serving = serveStdio(() => createMcpServer({ buyer, version, services, allowed, confirms }))
      shutdown.onClose(() => serving.close())
      for (const service of services) void reportSilence(service, shutdown.signal)
      await Promise.race([once(process.stdin, 'end'), shutdown.requested])
    }),
}

/** The person who configured the agent reads standard error if a tool fails. */
async function reportSilence(service: string, signal: AbortSignal): Promise<void> {
  const issue = await findSilence(service, signal)
  if (issue !== null && !signal.aborted) process.stderr.write(`${service}  NOT ANSWERING: ${issue}\n`)
}

async function ownServices(loaded: Config): Promise<readonly string[]> {
  const config = await withInstalled(loaded)
  const urls = await Promise.all([...config.services.keys()].map((name) => findBaseUrl(config, name)))
  return urls.filter((url) => url !== null).map((url) => new URL(url).origin)
}
