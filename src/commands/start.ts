import { join } from 'node:path'
import type { HttpBindings } from '@hono/node-server'
import { Hono } from 'hono'
import type { Logger } from 'pino'
import type { Service } from '../catalogue/service.ts'
import type { Config } from '../config.ts'
import { buildDemoListings } from '../devchain/demo-week/demo-listings.ts'
import { playDemoWeek } from '../devchain/demo-week/play-week.ts'
import { type DevChain, startDevChain } from '../devchain/dev-chain.ts'
import { type Listening, listen } from '../http/server/serve.ts'
import { seedSample } from '../social/source/store/seed-sample.ts'
import { createWorkerPool } from '../workers/pool.ts'
import { PARTS } from './check/settings.ts'
import type { Command } from './command.ts'
import { createProgress } from './progress.ts'
import { type Place, placeService } from './setup/addresses.ts'
import { listAliasHosts } from './setup/alias-hosts.ts'
import { type Announced, addressRow, announce } from './setup/announce.ts'
import {
  type ChainSetting,
  devChainSetting,
  findUnusedKey,
  nameChain,
  realChainSetting,
  refuseFaults,
} from './setup/chain.ts'
import { describeInference, offerLocalServers } from './setup/describe-inference.ts'
import { findFileFaults } from './setup/file-faults.ts'
import { openBrowser } from './setup/open-browser.ts'
import { openLog } from './setup/open-log.ts'
import { openReports, type ReportsOptions } from './setup/open-reports.ts'
import { openTracer } from './setup/open-tracer.ts'
import { makeDataFolder } from './setup/private-files.ts'
import { openSelling } from './setup/selling.ts'
import { facilitatorKeyOf, serveFacilitator } from './setup/serve-facilitator.ts'
import { serveReports } from './setup/serve-reports.ts'
import { createService, PAID_SERVICES } from './setup/services.ts'
import { runUntilStopped, type Shutdown } from './setup/shutdown.ts'
import { isStoreAlone } from './setup/social-provider.ts'
import { openStore } from './setup/store.ts'
import { startUpkeep } from './setup/upkeep.ts'

type ReportingOptions = Omit<ReportsOptions, 'baseUrl'> & {
  readonly place: Place
  /** Called with the number of blocks that the first indexing has read, and of payments found in them. */
  readonly onProgress: (done: number, total: number, payments: number) => void
  /** Called when indexing or publishing cannot continue. */
  readonly onGone: (error: Error) => void
}

export const start: Command = {
  name: 'start',
  summary: 'Start everything: chain, paid services, indexer, report service.',
  usage: '',
  notes: [
    'Prints a table of addresses, and ready once all answer and can sell; Ctrl-C stops it. Needs no setting: without',
    'TOLLBOOK_CHAIN_RPC_URL it runs a local chain with worthless money, and simulates a week of payments',
    'on it. TOLLBOOK_DATA_DIR sets the data folder, TOLLBOOK_<SERVICE>_PORT the port of each service.',
  ],
  options: {},
  run: () => runUntilStopped(startEverything),
}

async function startEverything(config: Config, shutdown: Shutdown): Promise<void> {
  const { phase } = createProgress()
  makeDataFolder(config)
  const logFile = join(config.TOLLBOOK_DATA_DIR, 'tollbook.log')
  const logger = openLog(config, logFile)
  const tracer = await openTracer(config, logger, shutdown)
  const { chain, devChain } = await phase('chain', () => openChain(config, shutdown))
  if (devChain?.isNew) {
    await phase('demo week', ({ at }) =>
      playDemoWeek(devChain, { onProgress: (done, total) => at(done, total, 'payments') }),
    )
  }
  const state = await phase('state store', async () => {
    const opened = await openStore(config, shutdown)
    if (chain.isDev && isStoreAlone(config)) await seedSample(opened, new Date())
    return opened
  })
  const upkeep = startUpkeep({ state, logger })
  shutdown.onClose(() => upkeep.stop())
  const places = {
    report: await placeService(config, 'report'),
    social: await placeService(config, 'social'),
    utility: await placeService(config, 'utility'),
    inference: await placeService(config, 'inference'),
    facilitator: await placeService(config, 'facilitator'),
  }
  const rendering = await phase('browser', () => openBrowser({ config, logger, shutdown }))
  const { services, opening } = await phase('paid services', async () => {
    const workers = createWorkerPool()
    shutdown.onClose(() => workers.close())
    const selling = await openSelling({ config, chain, state, logger, tracer, workers })
    shutdown.onClose(() => selling.close())
    const opened: Service[] = []
    for (const name of PAID_SERVICES) {
      const options = {
        config,
        baseUrl: places[name].baseUrl,
        state,
        workers,
        logger,
        browsers: rendering.browsers,
      }
      const service = await createService(name, options)
      await selling.open(service, places[name])
      opened.push(service)
    }
    return { services: opened, opening: selling.gate.opening }
  })
  const settling: Announced[number][] = []
  if (facilitatorKeyOf(config, chain) !== undefined)
    await phase('facilitator', async () => {
      const place = places.facilitator
      const reportUrl = places.report.baseUrl
      const options = { config, chain, state, logger, tracer, place, reportUrl }
      const listening = await serveFacilitator(options)
      shutdown.onClose(() => listening.close())
      settling.push(addressRow('facilitator', { ...place, opening: listening.opening }))
    })
  const sources = [...PAID_SERVICES.map((name) => places[name].baseUrl), ...listAliasHosts(config)]
  if (devChain) {
    const demo = await serveDemoDiscovery(logger)
    shutdown.onClose(() => demo.close())
    sources.push(demo.url)
  }
  await phase('reports', async ({ at }) => {
    const reporting = await openReporting({
      config,
      chain,
      state,
      logger,
      tracer,
      sources,
      place: places.report,
      onProgress: (done, total, payments) => at(done, total, 'blocks', { payments }),
      onGone: shutdown.fail,
    })
    shutdown.onClose(() => reporting.close())
  })
  const servers = await offerLocalServers(config)
  const about = [rendering.row, ...describeInference(services, servers)]
  const sold = PAID_SERVICES.map((name) =>
    addressRow(name, { ...places[name], opening, about: `paid to ${chain.payTo[name]}` }),
  )
  announce(
    [
      ['report', places.report.baseUrl],
      ...sold,
      ...settling,
      [chain.isDev ? 'dev chain' : 'chain', nameChain(chain)],
      ['log', logFile],
      ...about,
    ],
    opening,
  )
}

async function openChain(
  config: Config,
  shutdown: Shutdown,
): Promise<{ chain: ChainSetting; devChain: DevChain | null }> {
  const rpcUrls = config.TOLLBOOK_CHAIN_RPC_URL
  const faults = await findFileFaults(config, PARTS)
  if (rpcUrls) return { chain: await realChainSetting(config, rpcUrls, undefined, faults), devChain: null }
  refuseFaults([...faults, ...findUnusedKey(config)])
  const devChain = await startDevChain({
    port: config.TOLLBOOK_DEVCHAIN_PORT,
    dataDir: config.TOLLBOOK_DATA_DIR,
    clock: 'stopped',
    onGone: (reason) => shutdown.fail(new Error(`the dev chain exited: ${reason}`)),
  })
  shutdown.onClose(() => devChain.close())
  return { chain: devChainSetting(config, devChain.rpcUrl), devChain }
}

/** Indexes up to the head, publishes once, serves the reports, and continues indexing and publishing. */
async function openReporting(options: ReportingOptions): Promise<{ close(): Promise<void> }> {
  const end = new AbortController()
  const reports = await openReports({ ...options, baseUrl: options.place.baseUrl }, end.signal)
  const { pipeline } = reports
  await reports.catchUp(options.onProgress, end.signal)
  await pipeline.publish(end.signal)
  const listening = await serveReports({ ...options, evidence: pipeline.evidence })
  const running = pipeline.run(end.signal).catch((error: Error) => {
    if (!end.signal.aborted) options.onGone(error)
  })
  return {
    async close() {
      await listening.close()
      end.abort(new Error('closing'))
      await running
      await pipeline.close()
    },
  }
}

/** Serves the listings of the demo week's merchants for the collector. */
function serveDemoDiscovery(logger: Logger): Promise<Listening> {
  const items = buildDemoListings(new Date())
  const app = new Hono<{ Bindings: Partial<HttpBindings> }>()
  app.get('/discovery/resources', (context) => {
    const offset = toCount(context.req.query('offset'), 0)
    const limit = toCount(context.req.query('limit'), items.length)
    return context.json({
      x402Version: 2,
      items: items.slice(offset, offset + limit),
      pagination: { limit, offset, total: items.length },
    })
  })
  return listen({ app, host: '127.0.0.1', port: 0, logger })
}

function toCount(text: string | undefined, absent: number): number {
  const count = Number(text ?? absent)
  return Number.isSafeInteger(count) && count >= 0 ? count : absent
}
