import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Endpoint } from '../../src/catalogue/endpoint.ts'
import type { Service } from '../../src/catalogue/service.ts'
import { migrateState } from '../../src/commands/state/migrate.ts'
import { openState } from '../../src/commands/state/open.ts'
import type { State } from '../../src/commands/state/state.ts'
import { type DevChain, startDevChain } from '../../src/devchain/dev-chain.ts'
import type { Tracer } from '../../src/flow/trace.ts'
import { createLogger } from '../../src/http/operations/logger.ts'
import type { RunningFacilitator } from '../../src/payments/facilitator.ts'
import type { GateLimits } from '../../src/payments/gate/gate-options.ts'
import { devChainSetting } from '../../src/runtime/chain/chain-setting.ts'
import { type Config, loadConfig } from '../../src/runtime/config.ts'
import { placeService } from '../../src/runtime/places/addresses.ts'
import { openSelling, type Selling } from '../../src/runtime/selling/selling.ts'
import type { WorkerPool } from '../../src/workers/pool.ts'

/** A service with real payments: a local chain, a state store, the in-process facilitator, the gate. */
export type Seller = {
  /** Its address on this machine, whatever its public one is. */
  readonly url: string
  readonly chain: DevChain
  readonly state: State
  readonly selling: Selling
  readonly config: Config
  /** The whole log so far. */
  logged(): string
  close(): Promise<void>
}

export type SellerOptions = {
  readonly endpoints: readonly Endpoint[]
  readonly ports?: unknown
  /** Replaces `ports` if they need the service's own state. */
  readonly portsOf?: (state: State) => unknown
  /** Ids of the endpoints that its MCP server lists; default: it has none. */
  readonly tools?: readonly string[]
  /** What the service serves in addition to its endpoints. */
  readonly pagesOf?: (state: State) => Promise<Service['pages']>
  /** Default: an SQLite file in a folder of its own. */
  readonly stateUrl?: string
  readonly settings?: Readonly<Record<`TOLLBOOK_${string}`, string>>
  /** As of a service. */
  readonly registerMetrics?: Service['registerMetrics']
  readonly tracer?: Tracer
  /** Threads that its metrics show; default: none. */
  readonly workers?: WorkerPool
  /** Limits that replace the gate's own. */
  readonly limits?: Partial<GateLimits>
  /** Blocks are mined only with transactions, or by `evm_mine`; default: also one per second. */
  readonly hasOwnBlocks?: boolean
  /** Default: in this process, with the dev chain's key. */
  readonly facilitator?: (chain: DevChain, logger: Logger) => Promise<RunningFacilitator>
}

/** Starts a utility service with the given endpoints on a free port. */
export async function startSeller(options: SellerOptions): Promise<Seller> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tollbook-seller-'))
  const chain = await startDevChain({ port: 0, ...(options.hasOwnBlocks && ownBlocks()) })
  const config = loadConfig({
    TOLLBOOK_DATA_DIR: dataDir,
    TOLLBOOK_UTILITY_PORT: '0',
    TOLLBOOK_UNPAID_PER_MINUTE: '100000',
    ...options.settings,
  })
  const state = await openState(options.stateUrl ?? `sqlite:${join(dataDir, 'state.sqlite')}`)
  await migrateState(state)
  const lines: string[] = []
  const logger = createLogger('debug', { write: (line: string) => void lines.push(line) })
  const facilitator = await options.facilitator?.(chain, logger)
  const selling = await openSelling({
    config,
    chain: devChainSetting(config, chain.rpcUrl),
    state,
    logger,
    limits: options.limits ?? {},
    ...(facilitator && { facilitator }),
    ...(options.workers && { workers: options.workers }),
    ...(options.tracer && { tracer: options.tracer }),
  })
  const place = await placeService(config, 'utility')
  const pages = await options.pagesOf?.(state)
  const service: Service = {
    name: 'utility',
    title: 'Test service',
    description: 'Sells what a test needs.',
    baseUrl: place.baseUrl,
    endpoints: options.endpoints,
    ports: (await options.portsOf?.(state)) ?? options.ports ?? {},
    ...(pages && { pages }),
    ...(options.tools && { tools: options.tools }),
    ...(options.registerMetrics && { registerMetrics: options.registerMetrics }),
  }
  const { url } = await selling.open(service, place)
  return {
    url,
    chain,
    state,
    selling,
    config,
    logged: () => lines.join(''),
    async close() {
      await selling.close()
      await state.close()
      await chain.close()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/** A chain that starts now keeps the time without its clock. */
function ownBlocks() {
  return { genesisSeconds: Math.floor(Date.now() / 1000), clock: 'stopped' } as const
}
