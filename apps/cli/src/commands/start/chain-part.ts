import { BASE } from '@tollbook/chain/network'
import type { DevChain } from '@tollbook/devchain/dev-chain'
import { createProgress } from '@tollbook/flow/progress'
import { openReports, type ReportsOptions } from '@tollbook/report/open/open-reports'
import { hasReports } from '@tollbook/report/open/report-network'
import { serveReports } from '@tollbook/report/open/serve-reports'
import {
  type ChainSetting,
  devChainSetting,
  findUnusedKey,
  nameChain,
  realChainSetting,
  refuseIssues,
} from '@tollbook/runtime/chain/chain-setting'
import type { Config } from '@tollbook/runtime/config'
import { type Place, placeService } from '@tollbook/runtime/places/addresses'
import { listAliasHosts } from '@tollbook/runtime/places/alias-hosts'
import { openLog } from '@tollbook/runtime/process/open-log'
import { openTracer } from '@tollbook/runtime/process/open-tracer'
import type { Shutdown } from '@tollbook/runtime/process/shutdown'
import { findPaidApps } from '../apps.ts'
import { findFileIssues } from '../file-issues.ts'
import { openStore } from '../open-store.ts'
import { logFileOf } from './log-file.ts'
import type { PartOptions } from './sellers-part.ts'

type ReportingOptions = Omit<ReportsOptions, 'baseUrl'> & {
  readonly place: Place
  /** Called with the number of blocks that the first indexing has read, and of payments found in them. */
  readonly onProgress: (done: number, total: number, payments: number) => void
  readonly shutdown: Shutdown
}

/** Opens the chain, and when the services sell, indexer and reports. */
export async function openChainPart({ config, shutdown, parent }: PartOptions): Promise<void> {
  const { phase } = createProgress()
  const logFile = logFileOf(config)
  const logger = openLog(config, logFile)
  const tracer = await openTracer(config, logger, shutdown)
  const { chain, devChain } = await phase('chain', () => openChain(config, shutdown))
  // Modelled on a day of Base.
  if (devChain?.isNew && devChain.network === BASE) {
    const { playDemoWeek } = await import('@tollbook/devchain/demo-week/play-week')
    await phase('demo week', ({ at }) =>
      playDemoWeek(devChain, { onProgress: (done, total) => at(done, total, 'payments') }),
    )
  } else if (devChain?.isNew) await devChain.startClock()
  const state = await phase('state store', () => openStore(config, shutdown))
  parent.send({ kind: 'up' })
  const chainRow = [chain.isDev ? 'dev chain' : 'chain', nameChain(chain)] as const
  const notes = [chainRow, ['log', logFile]] as const
  if (!hasReports(config)) return parent.send({ kind: 'ready', table: { services: [], notes, isOpen: true } })
  await parent.sold
  const places = await Promise.all((await findPaidApps()).map(({ name }) => placeService(config, name)))
  const sources = [...places.map(({ baseUrl }) => baseUrl), ...listAliasHosts(config)]
  if (devChain?.network === BASE) {
    const { serveDemoDiscovery } = await import('./demo-discovery.ts')
    const demo = await serveDemoDiscovery(logger)
    shutdown.onClose(() => demo.close())
    sources.push(demo.url)
  }
  const place = await placeService(config, 'report')
  await phase('reports', async ({ at }) => {
    const onProgress = (done: number, total: number, payments: number) =>
      at(done, total, 'blocks', { payments })
    await openReporting({ config, chain, state, logger, tracer, sources, place, onProgress, shutdown })
  })
  const services = [['report', place.baseUrl] as const]
  parent.send({ kind: 'ready', table: { services, notes, isOpen: true } })
}

async function openChain(
  config: Config,
  shutdown: Shutdown,
): Promise<{ chain: ChainSetting; devChain: DevChain | null }> {
  const rpcUrls = config.TOLLBOOK_CHAIN_RPC_URL
  const sold = (await findPaidApps()).map(({ name }) => name)
  const issues = await findFileIssues(config, [
    ...(hasReports(config) ? (['index', 'report'] as const) : []),
    ...sold,
  ])
  if (rpcUrls) return { chain: await realChainSetting(config, rpcUrls, sold, issues), devChain: null }
  refuseIssues([...issues, ...findUnusedKey(config, sold)])
  const { startDevChain } = await import('@tollbook/devchain/dev-chain')
  const devChain = await startDevChain({
    network: config.TOLLBOOK_NETWORK,
    port: config.TOLLBOOK_DEVCHAIN_PORT,
    dataDir: config.TOLLBOOK_DATA_DIR,
    clock: 'stopped',
    onGone: (reason) => shutdown.fail(new Error(`the dev chain exited: ${reason}`)),
  })
  shutdown.onClose(() => devChain.close())
  return { chain: devChainSetting(config, devChain.rpcUrl), devChain }
}

/** Indexes up to the head, publishes once, serves the reports, and continues indexing and publishing. */
async function openReporting(options: ReportingOptions): Promise<void> {
  const { config, chain, state, logger, tracer, sources, place, onProgress, shutdown } = options
  const { baseUrl } = place
  const reports = await openReports(
    { config, chain, state, logger, tracer, sources, baseUrl },
    shutdown.signal,
  )
  const { pipeline } = reports
  shutdown.onClose(() => pipeline.close())
  await reports.catchUp(onProgress, shutdown.signal)
  await pipeline.publish(shutdown.signal)
  const listening = await serveReports({
    config,
    chain,
    state,
    logger,
    tracer,
    place,
    evidence: pipeline.evidence,
  })
  const running = pipeline.run(shutdown.signal).catch((error: Error) => {
    // When indexing or publishing cannot continue.
    if (!shutdown.signal.aborted) shutdown.fail(error)
  })
  shutdown.onClose(async () => {
    await listening.close()
    await running
  })
}
