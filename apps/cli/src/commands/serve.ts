import { UsageError } from '@tollbook/flow/usage-error'
import { findChain, findReadChain, nameChain } from '@tollbook/runtime/chain/chain-setting'
import type { Config } from '@tollbook/runtime/config'
import { placeService } from '@tollbook/runtime/places/addresses'
import { type Announced, addressRow, announce } from '@tollbook/runtime/process/announce'
import { openLog } from '@tollbook/runtime/process/open-log'
import { openTracer } from '@tollbook/runtime/process/open-tracer'
import { serveInProcesses } from '@tollbook/runtime/process/processes'
import type { Shutdown } from '@tollbook/runtime/process/shutdown'
import { openSelling } from '@tollbook/runtime/selling/selling'
import { startUpkeep } from '@tollbook/runtime/selling/upkeep'
import { createWorkerPool } from '@tollbook/workers/pool'
import { findDiscovery, findPaidApps, joinMounts, loadApp, PAID_APPS, withInstalled } from './apps.ts'
import { type Command, requireInstalled } from './command.ts'
import { findFileIssues } from './file-issues.ts'
import { openStore } from './open-store.ts'

export const serve: Command = {
  name: 'serve',
  usage: '<social|utility|inference|report|facilitator>',
  examples: ['serve utility'],
  notes: [
    'A paid service needs its payee wallet (TOLLBOOK_<SERVICE>_PAY_TO) and a facilitator, the report',
    'service neither, the facilitator its key (TOLLBOOK_FACILITATOR_KEY). All need TOLLBOOK_CHAIN_RPC_URL, or the local chain of a running tollbook start.',
  ],
  options: {},
  async run({ positionals }) {
    const [name, ...surplus] = positionals
    if (surplus.length > 0) throw new UsageError('serve needs exactly one service')
    const names = [...PAID_APPS, 'report', 'facilitator'] as const
    const service = names.find((each) => each === name)
    if (!service) throw new UsageError('serve accepts social, utility, inference, report or facilitator')
    requireInstalled([`@tollbook/${service}`])
    const served = { services: [service], complete: withInstalled }
    if (service === 'report') return serveInProcesses({ ...served, open: serveReport })
    if (service === 'facilitator') return serveInProcesses({ ...served, open: serveSettlements })
    return serveInProcesses({
      ...served,
      open: (config, shutdown) => servePaid(service, config, shutdown),
    })
  },
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

async function servePaid(
  name: (typeof PAID_APPS)[number],
  config: Config,
  shutdown: Shutdown,
): Promise<void> {
  const app = await loadApp(name)
  const apps = await findPaidApps()
  const logger = openLog(config)
  const tracer = await openTracer(config, logger, shutdown)
  const chain = await findChain(config, [name], await findFileIssues(config, [name]))
  const state = await openStore(config, shutdown)
  if (chain.isDev) await app.seed?.(state, config)
  const upkeep = startUpkeep({ sweeps: apps.map(({ sweep }) => sweep(state, logger)), logger })
  shutdown.onClose(() => upkeep.stop())
  const place = await placeService(config, name)
  const workers = createWorkerPool()
  shutdown.onClose(() => workers.close())
  const selling = await openSelling({ config, chain, state, logger, tracer, workers })
  shutdown.onClose(() => selling.close())
  const prepared = await app.prepare({ config, logger, shutdown })
  const { baseUrl } = place
  const service = await prepared.open({ config, baseUrl, state, workers, logger, mount: joinMounts(apps) })
  await selling.open(service, place)
  const { opening } = selling.gate
  const described = await Promise.all(apps.map((each) => each.describe([service], config)))
  const rows: Announced = [
    addressRow(name, { ...place, opening, about: `paid to ${chain.payTo[name]}` }),
    ['chain', nameChain(chain)],
    ...prepared.rows,
    ...described.flat(),
  ]
  announce(rows, opening)
}
