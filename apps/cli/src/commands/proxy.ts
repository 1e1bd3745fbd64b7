import { formatUsd } from '@tollbook/chain/usdc'
import { startTicker } from '@tollbook/flow/ticker'
import { UsageError } from '@tollbook/flow/usage-error'
import { listen } from '@tollbook/http/server/serve'
import { createProxy } from '@tollbook/pay/proxy/serve-proxy'
import type { Config } from '@tollbook/runtime/config'
import { type Announced, announce, type Opening } from '@tollbook/runtime/process/announce'
import { openLog } from '@tollbook/runtime/process/open-log'
import { runUntilStopped, type Shutdown } from '@tollbook/runtime/process/shutdown'
import { findSilence } from './call/find-silence.ts'
import { BUDGET_OPTIONS, openBuyer } from './call/open-buyer.ts'
import type { Command } from './command.ts'

const DEFAULT_PORT = 4402
const LOOK_EVERY_MS = 1_000

export const proxy: Command = {
  name: 'proxy',
  usage: '--to <origin> --budget <usd> [options]',
  examples: [
    'proxy --to http://127.0.0.1:4023 --budget 1.00',
    'proxy --to https://api.example --port 4403 --budget 5 --max 0.05 --log ~/spending.sqlite',
  ],
  notes: [
    'Set the base URL of an SDK or agent to the printed address, such as http://127.0.0.1:4402/v1. /spent shows what',
    'was paid; see docs/agents.md. Only programs of this machine may use it. The same wallet pays as for tollbook call.',
  ],
  options: {
    to: { type: 'string', value: 'origin', help: 'the service, such as http://127.0.0.1:4023; required' },
    port: {
      type: 'string',
      value: 'n',
      help: `the port on 127.0.0.1 (default ${DEFAULT_PORT}; 0 takes a free one)`,
    },
    ...BUDGET_OPTIONS,
    'send-keys': {
      type: 'boolean',
      help: "send the caller's credentials (Authorization, api-key, …) to the service, too",
    },
  },
  async run({ values }) {
    const to = readOrigin(values.to)
    const port = Number(values.port ?? DEFAULT_PORT)
    if (!(Number.isInteger(port) && port >= 0 && port <= 65_535))
      throw new UsageError('--port must be a port')
    return runUntilStopped(async (config, shutdown) => {
      await startProxy({ config, shutdown, to, port, values })
    })
  },
}

async function startProxy(options: {
  readonly config: Config
  readonly shutdown: Shutdown
  readonly to: string
  readonly port: number
  readonly values: Readonly<Record<string, unknown>>
}): Promise<void> {
  const { config, shutdown, to, port, values } = options
  const { buyer, logPath } = await openBuyer(config, values, shutdown)
  const app = createProxy({ buyer, to, sendsKeys: values['send-keys'] === true })
  const listening = await listen({ app, host: '127.0.0.1', port, logger: openLog(config) })
  shutdown.onClose(() => listening.close())
  const { spent, open } = buyer.totals()
  const opening = await awaitService(to, shutdown)
  const issue = opening.issue()
  const rows: Announced = [
    ['proxy', listening.url],
    ['service', issue === null ? to : `${to}  NOT ANSWERING: ${issue}`],
    ['spent', `${listening.url}/spent  $${formatUsd(spent + open)} of $${formatUsd(buyer.budget)}`],
    ['log', logPath],
  ]
  announce(rows, opening)
}

/** Requests the service until it answers for the first time, whatever it answers. */
async function awaitService(to: string, shutdown: Shutdown): Promise<Opening> {
  const { promise: opened, resolve } = Promise.withResolvers<void>()
  let issue: string | null = null
  const look = async (signal: AbortSignal) => {
    issue = await findSilence(to, signal)
    if (issue === null) resolve()
  }
  await look(shutdown.signal)
  if (issue !== null) {
    const ticker = startTicker({ work: look, everyMs: LOOK_EVERY_MS, onError: () => {} })
    void opened.then(() => ticker.stop())
    shutdown.onClose(() => ticker.stop())
  }
  return { issue: () => issue, opened }
}

function readOrigin(text: unknown): string {
  const url = typeof text === 'string' && URL.canParse(text) ? new URL(text) : null
  if (!url || !/^https?:$/.test(url.protocol) || url.pathname !== '/' || url.search || url.username)
    throw new UsageError('--to must be the origin of a service, such as https://api.example')
  return url.origin
}
