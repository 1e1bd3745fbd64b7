import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrateState } from '@tollbook/cli/commands/migrations/migrate-state'
import { openState } from '@tollbook/cli/commands/state/open'
import type { State } from '@tollbook/cli/commands/state/state'
import { type DevChain, startDevChain } from '@tollbook/devchain/dev-chain'
import type { Endpoint } from '@tollbook/endpoints/endpoint'
import type { Service } from '@tollbook/endpoints/service'
import type { Tracer } from '@tollbook/flow/trace'
import type { RunningFacilitator } from '@tollbook/gate/facilitator'
import type { GateLimits } from '@tollbook/gate/gate/gate-options'
import { createLogger } from '@tollbook/http/operations/logger'
import { devChainSetting } from '@tollbook/runtime/chain/chain-setting'
import { type Config, loadConfig } from '@tollbook/runtime/config'
import { placeService } from '@tollbook/runtime/places/addresses'
import { openSelling, type Selling } from '@tollbook/runtime/selling/selling'
import type { WorkerPool } from '@tollbook/workers/pool'
import type { Logger } from 'pino'

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
  const config = loadConfig({
    TOLLBOOK_DATA_DIR: dataDir,
    TOLLBOOK_UTILITY_PORT: '0',
    TOLLBOOK_UNPAID_PER_MINUTE: '100000',
    ...options.settings,
  })
  const network = config.TOLLBOOK_NETWORK
  const chain = await startDevChain({ port: 0, network, ...(options.hasOwnBlocks && ownBlocks()) })
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
