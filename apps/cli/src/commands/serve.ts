import { UsageError } from '@tollbook/flow/usage-error'
import type { App } from '@tollbook/runtime/app'
import { findChain, findReadChain, nameChain } from '@tollbook/runtime/chain/chain-setting'
import { type Config, overrideSetting, withServices } from '@tollbook/runtime/config'
import { placeService } from '@tollbook/runtime/places/addresses'
import { addressRow, announce } from '@tollbook/runtime/process/announce'
import { openLog } from '@tollbook/runtime/process/open-log'
import { openTracer } from '@tollbook/runtime/process/open-tracer'
import { serveInProcesses } from '@tollbook/runtime/process/processes'
import type { Shutdown } from '@tollbook/runtime/process/shutdown'
import { serviceSetting } from '@tollbook/runtime/settings/service-settings'
import { findAllApps, findDiscovery, PAID_APPS } from './apps.ts'
import { type Command, NETWORK_OPTION, requireInstalled } from './command.ts'
import { findFileIssues } from './file-issues.ts'
import { isFile } from './load-service.ts'
import { openStore } from './open-store.ts'
import { loadApps } from './serve/load-apps.ts'
import { openChain } from './serve/local-chain.ts'
import { openSold } from './serve/open-sold.ts'
import type { State } from './state/state.ts'

export const serve: Command = {
  name: 'serve',
  usage: '<social|utility|inference|report|facilitator|file>... [options]',
  examples: ['serve utility', 'serve ./weather.ts', 'serve ./weather.ts utility'],
  notes: [
    'A file exports its service: docs/add-an-endpoint.md shows one. Several services may be served together, but report',
    'and facilitator each alone.',
    'A paid service needs its payee wallet (TOLLBOOK_<SERVICE>_PAY_TO) and a facilitator, the report',
    'service neither, the facilitator its key (TOLLBOOK_FACILITATOR_KEY). All need TOLLBOOK_CHAIN_RPC_URL, or the local chain',
    'of a running tollbook start. Paid services without a wallet and a facilitator start a local chain with worthless money.',
  ],
  options: {
    port: {
      type: 'string',
      value: 'port',
      help: 'as TOLLBOOK_<SERVICE>_PORT, for one service; 0 selects a free one',
    },
    'base-url': { type: 'string', value: 'url', help: 'as TOLLBOOK_<SERVICE>_BASE_URL, for one service' },
    ...NETWORK_OPTION,
  },
  async run({ values, positionals }) {
    const [name, ...others] = positionals
    if (name === undefined) throw new UsageError(`serve needs a service: ${ACCEPTED}`)
    for (const word of positionals) if (!isKnown(word)) throw new UsageError(`serve accepts ${ACCEPTED}`)
    const part = PARTS.find((each) => positionals.includes(each))
    if (part && others.length > 0) throw new UsageError(`serve ${part} needs exactly one service`)
    requireInstalled(positionals.filter((word) => !isFile(word)).map((word) => `@tollbook/${word}`))
    const apps = part ? [] : await loadApps(positionals)
    const names = part ? [part] : apps.map(({ name }) => name)
    setFlags(values, names)
    const open = part
      ? PART_OPENERS[part]
      : (config: Config, shutdown: Shutdown) => servePaid(apps, config, shutdown)
    const complete = async (config: Config) => withServices(config, await findAllApps(apps))
    return serveInProcesses({ services: names, open, complete })
  },
}

/** What is served alone. */
const PARTS = ['report', 'facilitator'] as const
const ACCEPTED = `${PAID_APPS.join(', ')}, report or facilitator, or the file of a service, such as ./weather.ts`

function isKnown(word: string): boolean {
  return isFile(word) || [...PAID_APPS, ...PARTS].some((each) => each === word)
}

/** Options count as settings, which the processes of a service share. */
function setFlags(values: Parameters<Command['run']>[0]['values'], names: readonly string[]): void {
  const [name = ''] = names
  for (const [flag, suffix] of [
    ['port', 'PORT'],
    ['base-url', 'BASE_URL'],
  ] as const) {
    const value = values[flag]
    if (typeof value !== 'string') continue
    if (names.length > 1)
      throw new UsageError(`--${flag} is for one service; set ${serviceSetting(name, suffix)}`)
    overrideSetting(serviceSetting(name, suffix), value)
  }
}

async function serveReport(config: Config, shutdown: Shutdown): Promise<void> {
  const { serveReports } = await import('@tollbook/report/open/serve-reports')
  const { openEvidence } = await import('@tollbook/report/open/open-evidence')
  const logger = openLog(config)
  const tracer = await openTracer(config, logger, shutdown)
  const chain = await findReadChain(config, await findFileIssues(config, ['report']))
  const state = await openStore(config, shutdown)
  const { evidence, from } = await openEvidence({ config, chain, state }, shutdown)
  const place = await placeService(config, 'report')
  const listening = await serveReports({ config, chain, state, logger, tracer, place, evidence })
  shutdown.onClose(() => listening.close())
  announce([
    ['report', place.baseUrl],
    ['evidence', from],
  ])
}

async function serveSettlements(config: Config, shutdown: Shutdown): Promise<void> {
  const { serveFacilitator } = await import('@tollbook/runtime/selling/serve-facilitator')
  const logger = openLog(config)
  const tracer = await openTracer(config, logger, shutdown)
  const chain = await findChain(config, [])
  const state = await openStore(config, shutdown)
  const place = await placeService(config, 'facilitator')
  const discovery = await findDiscovery(config, state)
  const listening = await serveFacilitator({ config, chain, state, logger, tracer, place, discovery })
  shutdown.onClose(() => listening.close())
  const { opening } = listening
  announce([addressRow('facilitator', { ...place, opening }), ['chain', nameChain(chain)]], opening)
}

const PART_OPENERS = { report: serveReport, facilitator: serveSettlements } as const

async function servePaid(apps: readonly App<State>[], config: Config, shutdown: Shutdown): Promise<void> {
  const logger = openLog(config)
  const tracer = await openTracer(config, logger, shutdown)
  const sold = apps.map(({ name }) => name)
  const issues = await findFileIssues(config, sold)
  const chain = await openChain({ config, sold, issues, shutdown })
  const state = await openStore(config, shutdown)
  const { addresses, notes, opening } = await openSold({
    apps,
    config,
    chain,
    state,
    logger,
    tracer,
    shutdown,
  })
  announce([...addresses(), ['chain', nameChain(chain)], ...notes], opening)
}
