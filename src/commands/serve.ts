import { readGenesisHash } from '../chain/blocks.ts'
import { createReadRpc } from '../chain/rpc/read-rpc.ts'
import type { Evidence } from '../report/evidence/evidence.ts'
import { createRemoteEvidence } from '../report/evidence/remote-evidence.ts'
import { openLedger } from '../report/ledger/ledger.ts'
import { folderOf } from '../report/ledger/ledger-url.ts'
import { openDiscovery } from '../report/open/open-discovery.ts'
import { serveReports } from '../report/open/serve-reports.ts'
import { createLedgerEvidence } from '../report/pipeline.ts'
import { findChain, findReadChain, nameChain, type ReadChainSetting } from '../runtime/chain/chain-setting.ts'
import type { Config } from '../runtime/config.ts'
import type { PaidService } from '../runtime/places/addresses.ts'
import { PAID_SERVICES, placeService } from '../runtime/places/addresses.ts'
import { type Announced, addressRow, announce } from '../runtime/process/announce.ts'
import { openLog } from '../runtime/process/open-log.ts'
import { openTracer } from '../runtime/process/open-tracer.ts'
import { serveInProcesses } from '../runtime/process/processes.ts'
import type { Shutdown } from '../runtime/process/shutdown.ts'
import { openSelling } from '../runtime/selling/selling.ts'
import { serveFacilitator } from '../runtime/selling/serve-facilitator.ts'
import { startUpkeep } from '../runtime/selling/upkeep.ts'
import { isStoreAlone } from '../social/open/social-provider.ts'
import { seedSample } from '../social/source/store/seed-sample.ts'
import { openBrowser } from '../utility/open/open-browser.ts'
import { createWorkerPool } from '../workers/pool.ts'
import { type Command, UsageError } from './command.ts'
import { describeInference, offerLocalServers } from './setup/describe-inference.ts'
import { findFileIssues } from './setup/file-issues.ts'
import { createService } from './setup/services.ts'
import { listSweeps } from './setup/sweeps.ts'
import { openStore } from './state/open-store.ts'
import type { State } from './state/state.ts'

export const serve: Command = {
  name: 'serve',
  summary: 'Serve one service; several processes may serve the same service on one PostgreSQL.',
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
    if (name === 'report') return serveInProcesses(name, serveReport)
    if (name === 'facilitator') return serveInProcesses(name, serveSettlements)
    const paid = PAID_SERVICES.find((each) => each === name)
    if (!paid) throw new UsageError('serve accepts social, utility, inference, report or facilitator')
    return serveInProcesses(paid, (config, shutdown) => servePaid(paid, config, shutdown))
  },
}

async function serveReport(config: Config, shutdown: Shutdown): Promise<void> {
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
  const logger = openLog(config)
  const tracer = await openTracer(config, logger, shutdown)
  const chain = await findChain(config, [])
  const state = await openStore(config, shutdown)
  const place = await placeService(config, 'facilitator')
  const discovery = openDiscovery({ config, state })
  const listening = await serveFacilitator({ config, chain, state, logger, tracer, place, discovery })
  shutdown.onClose(() => listening.close())
  const { opening } = listening
  announce([addressRow('facilitator', { ...place, opening }), ['chain', nameChain(chain)]], opening)
}

async function servePaid(name: PaidService, config: Config, shutdown: Shutdown): Promise<void> {
  const logger = openLog(config)
  const tracer = await openTracer(config, logger, shutdown)
  const chain = await findChain(config, [name], await findFileIssues(config, [name]))
  const state = await openStore(config, shutdown)
  if (chain.isDev && name === 'social' && isStoreAlone(config)) await seedSample(state, new Date())
  const upkeep = startUpkeep({ sweeps: listSweeps(state, logger), logger })
  shutdown.onClose(() => upkeep.stop())
  const place = await placeService(config, name)
  const workers = createWorkerPool()
  shutdown.onClose(() => workers.close())
  const selling = await openSelling({ config, chain, state, logger, tracer, workers })
  shutdown.onClose(() => selling.close())
  const rendering = name === 'utility' ? await openBrowser({ config, logger, shutdown }) : null
  const options = {
    config,
    baseUrl: place.baseUrl,
    state,
    workers,
    logger,
    browsers: rendering?.browsers ?? null,
  }
  const service = await createService(name, options)
  await selling.open(service, place)
  const { opening } = selling.gate
  const rows: Announced = [
    addressRow(name, { ...place, opening, about: `paid to ${chain.payTo[name]}` }),
    ['chain', nameChain(chain)],
    ...(rendering ? [rendering.row] : []),
    ...describeInference([service], name === 'inference' ? await offerLocalServers(config) : []),
  ]
  announce(rows, opening)
}

/** Payments from the configured indexer, else from ClickHouse servers, else from this machine's indexer. */
async function openEvidence(
  {
    config,
    chain,
    state,
  }: { readonly config: Config; readonly chain: ReadChainSetting; readonly state: State },
  shutdown: Shutdown,
): Promise<{ readonly evidence: Evidence; readonly from: string }> {
  const ledgerUrl = config.TOLLBOOK_LEDGER_URL
  if (config.TOLLBOOK_INDEXER_URL || !ledgerUrl || folderOf(ledgerUrl) !== null) {
    const url = config.TOLLBOOK_INDEXER_URL ?? `http://127.0.0.1:${config.TOLLBOOK_INDEXER_PORT}`
    return { evidence: createRemoteEvidence(url), from: url }
  }
  const genesis = await readGenesisHash(createReadRpc({ url: chain.access.rpcUrl }), shutdown.signal)
  const ledger = await openLedger(ledgerUrl, genesis)
  shutdown.onClose(() => ledger.close())
  return {
    evidence: createLedgerEvidence({ state, chain: genesis, ledger }),
    from: new URL(ledgerUrl).origin,
  }
}
