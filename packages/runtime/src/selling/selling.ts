import { devPayToKey } from '@tollbook/chain/dev-accounts'
import type { Address } from '@tollbook/chain/hex'
import { loadSignerRecovery } from '@tollbook/chain/recover'
import { createReadRpc } from '@tollbook/chain/rpc/read-rpc'
import { parseUsd } from '@tollbook/chain/usdc'
import { createWalletSignatures } from '@tollbook/chain/wallet-signatures'
import { openChannels } from '@tollbook/channels/open-channels'
import { createOperatorSummary, OPERATOR_SUMMARY_PATH } from '@tollbook/endpoints/selling/operator-summary'
import { createReceiptEndpoint } from '@tollbook/endpoints/selling/receipt-endpoint'
import type { Service } from '@tollbook/endpoints/service'
import { createServiceApp } from '@tollbook/endpoints/serving/router'
import type { Tracer } from '@tollbook/flow/trace'
import { createOfferSigner, type OfferSigner } from '@tollbook/gate/contract/signed-offers'
import type { SellerTerms } from '@tollbook/gate/contract/terms'
import type { RunningFacilitator } from '@tollbook/gate/facilitator'
import { openGate } from '@tollbook/gate/gate/gate'
import { createGateMetrics } from '@tollbook/gate/gate/gate-metrics'
import type { GateLimits, TollGate } from '@tollbook/gate/gate/gate-options'
import { createChainReader } from '@tollbook/gate/reading/chain-reader'
import type { State } from '@tollbook/gate/state/state'
import { addGauge } from '@tollbook/http/operations/gauges'
import { createMeter } from '@tollbook/http/operations/meter'
import { createRequestRecorder } from '@tollbook/http/operations/operations'
import { createOperatorAccess } from '@tollbook/http/request/key-access'
import { createRateLimiter } from '@tollbook/http/request/rate-limit'
import { routeHosts } from '@tollbook/http/server/route-hosts'
import { type Listening, listen } from '@tollbook/http/server/serve'
import type { WorkerPool } from '@tollbook/workers/pool'
import type { Logger } from 'pino'
import { Registry } from 'prom-client'
import type { ChainSetting } from '../chain/chain-setting.ts'
import { originOf, readOwnershipProofs } from '../chain/ownership.ts'
import type { Config } from '../config.ts'
import type { Place } from '../places/addresses.ts'
import { openAliasHosts } from '../places/alias-hosts.ts'
import { profileOf } from '../places/profile.ts'
import { throwAbsence } from '../process/package-missing.ts'
import { openFacilitator } from './open-facilitator.ts'

export type SellingOptions = {
  readonly config: Config
  readonly chain: ChainSetting
  readonly state: State
  readonly logger: Logger
  /** Overrides of the gate's limits. */
  readonly limits?: Partial<GateLimits>
  /** Time after which a facilitator with the same key takes over a settlement; default the facilitator's. */
  readonly nonceLeaseMs?: number
  /** Default: the configured one. */
  readonly facilitator?: RunningFacilitator
  /** Records calls; default none. */
  readonly tracer?: Tracer | undefined
  /** Threads of the services, for the metrics. */
  readonly workers?: WorkerPool
}

/** Shared by the paid services of a process: a facilitator, a gate and a limiter. */
export type Selling = {
  readonly gate: TollGate
  readonly facilitator: RunningFacilitator
  /** Serves a service at its address and under its additional hosts. */
  open(service: Service, place: Place): Promise<Listening>
  close(): Promise<void>
}

const WAITING_JOBS = 'Jobs that wait for a worker thread of the process.'
const DAY_MS = 24 * 60 * 60_000

/** Sets up payments for a process; each service is then opened at its address. */
export async function openSelling(options: SellingOptions): Promise<Selling> {
  const { config, chain, state, logger, limits = {} } = options
  const proofs = await readOwnershipProofs(config)
  const demoAccount = chain.isDev ? await openDemoAccount(chain) : undefined
  const { facilitator, registerMetrics } = await openFacilitator(options)
  const limiter = createRateLimiter(config.TOLLBOOK_UNPAID_PER_MINUTE)
  const payerLimiter = createRateLimiter(config.TOLLBOOK_UNPAID_PER_MINUTE)
  const metrics = createGateMetrics()
  const seller = createSellers(config, chain, facilitator)
  const signatures = createWalletSignatures(
    createReadRpc({ url: chain.access.rpcUrl }),
    loadSignerRecovery().recoverSigner,
  )
  const gate = await openGate({
    state,
    facilitator,
    limiter,
    payerLimiter,
    logger,
    seller,
    limits: { ...limitsOf(config), ...limits },
    chainReader: createChainReader(chain.access),
    channels: openChannels,
    dataDir: config.TOLLBOOK_DATA_DIR,
    count: metrics.count,
    noteSettlement: metrics.noteSettlement,
    verifyMessage: signatures.isSignedBy,
  })
  await gate.start()
  const operator = createOperatorAccess(config.TOLLBOOK_OPERATOR_KEY)
  const open: Listening[] = []
  return {
    gate,
    facilitator,
    async open(offered, place) {
      const hosts = [offered, ...openAliasHosts(config, offered)]
      const paidOn = { network: chain.access.network, isDemo: chain.isDev }
      const receipts = createReceiptEndpoint(gate, { ...paidOn, name: offered.name }, seller(offered).signer)
      const registry = new Registry()
      const readings = { settlementCost: () => gate.settlementCost(), gasLeft: () => gate.gasLeft(), state }
      metrics.register(offered.name, createMeter(registry), readings)
      registerMetrics(registry)
      const { workers } = options
      if (workers)
        addGauge(registry, 'tollbook_worker_waiting_jobs', WAITING_JOBS, async () => workers.waiting())
      offered.registerMetrics?.(registry)
      const payTo = walletOf(chain, offered.name)
      const summary = { service: offered.name, payTo, operator, state, gasLeft: () => gate.gasLeft() }
      const operatorPages = config.TOLLBOOK_OPERATOR_KEY && {
        [OPERATOR_SUMMARY_PATH]: createOperatorSummary(summary),
      }
      const record = createRequestRecorder(logger, registry)
      const apps = hosts.map((host) => {
        const service = {
          ...host,
          endpoints: [...host.endpoints, receipts],
          pages: { ...host.pages, ...operatorPages },
          profile: { ...profileOf(config, host.name), ownershipProofs: proofs.get(originOf(host)) },
          ...paidOn,
          demoAccount,
        }
        const app = createServiceApp({
          service,
          gate,
          limiter,
          logger,
          registry,
          operator,
          record,
          tracer: options.tracer,
          seller: seller(service),
          trustedProxies: config.TOLLBOOK_TRUSTED_PROXIES,
          checks: [{ name: 'payments', check: async () => gate.health() }],
        })
        return [host.baseUrl, app] as const
      })
      const [[, own], ...aliases] = apps as [(typeof apps)[0], ...typeof apps]
      const app = routeHosts(own, new Map(aliases))
      const listening = await listen({ app, host: place.host, port: place.port, logger })
      open.push(listening)
      return listening
    },
    async close() {
      await Promise.all(open.map((listening) => listening.close()))
      await gate.close()
      await facilitator.close()
    },
  }
}

/** The payment data of each service, built once. */
function createSellers(
  config: Config,
  chain: ChainSetting,
  facilitator: RunningFacilitator,
): (service: Pick<Service, 'name'>) => SellerTerms {
  const { network } = chain.access
  const sellers = new Map<string, SellerTerms>()
  return ({ name }) => {
    const terms = sellers.get(name) ?? {
      network: network.id,
      asset: network.usdc,
      assetName: network.usdcName,
      assetVersion: network.usdcVersion,
      payTo: walletOf(chain, name),
      get facilitatorAddress() {
        return facilitator.address ?? undefined
      },
      channels: facilitator.escrow && {
        receiverAuthorizer: facilitator.escrow.authorizer.address,
        withdrawDelay: config.TOLLBOOK_CHANNEL_WITHDRAW_SECONDS,
      },
      signer: openOfferSigner(config, chain, name),
    }
    sellers.set(name, terms)
    return terms
  }
}

function limitsOf(config: Config): Partial<GateLimits> {
  return {
    maxGasPercent: config.TOLLBOOK_MAX_GAS_PERCENT,
    claims: {
      amount: parseUsd(config.TOLLBOOK_CHANNEL_CLAIM_USD.toFixed(6)),
      ageMs: config.TOLLBOOK_CHANNEL_CLAIM_SECONDS * 1000,
      quietMs: config.TOLLBOOK_CHANNEL_QUIET_SECONDS * 1000,
    },
    barMs: config.TOLLBOOK_REVERT_BAR_DAYS * DAY_MS,
  }
}

function walletOf({ payTo }: ChainSetting, name: string): Address {
  const wallet = payTo[name]
  if (!wallet) throw new Error(`the service ${name} has no payee wallet`)
  return wallet
}

/** Signs offers and receipts; on the local chain by default with the key of its payee, which is public. */
function openOfferSigner(config: Config, chain: ChainSetting, name: string): OfferSigner | undefined {
  const key = config.TOLLBOOK_OFFER_KEY ?? (chain.isDev ? devPayToKey(name) : undefined)
  const isOff = config.TOLLBOOK_SIGNED_OFFERS === 'off'
  return key && !isOff ? createOfferSigner(key as `0x${string}`) : undefined
}

/** @throws PackageMissing without `@tollbook/devchain` */
async function openDemoAccount({ access }: ChainSetting) {
  const { createDemoAccount } = await import('@tollbook/devchain/demo-account').catch(throwAbsence)
  return createDemoAccount(access.rpcUrl, access.network)
}
