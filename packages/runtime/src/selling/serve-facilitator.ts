import type { Endpoint } from '@tollbook/endpoints/endpoint'
import { createServiceApp } from '@tollbook/endpoints/serving/router'
import { createListingPayers } from '@tollbook/facilitator/listing-payers'
import { createListings, type Listings } from '@tollbook/facilitator/listings'
import { registerFacilitatorMetrics } from '@tollbook/facilitator/metrics'
import { type OpenSettlements, openSettlements } from '@tollbook/facilitator/open-settlements'
import { createPayeeGas } from '@tollbook/facilitator/payee-gas'
import { createPolicy } from '@tollbook/facilitator/policy'
import { FREE_PER_MINUTE, openApiKeys } from '@tollbook/facilitator/ports'
import { createFacilitatorService } from '@tollbook/facilitator/service'
import { createTransactionMetrics } from '@tollbook/facilitator/settlement/transaction-metrics'
import type { State } from '@tollbook/facilitator/state/state'
import { ConfigError } from '@tollbook/flow/config-error'
import type { Tracer } from '@tollbook/flow/trace'
import { createGateMetrics } from '@tollbook/gate/gate/gate-metrics'
import type { GateLimits } from '@tollbook/gate/gate/gate-options'
import { toQuietError } from '@tollbook/gate/quiet-error'
import { createChainReader } from '@tollbook/gate/reading/chain-reader'
import { createMeter } from '@tollbook/http/operations/meter'
import { createOperatorAccess } from '@tollbook/http/request/key-access'
import { createRateLimiter } from '@tollbook/http/request/rate-limit'
import { type Listening, listen } from '@tollbook/http/server/serve'
import type { Logger } from 'pino'
import { Registry } from 'prom-client'
import type { ReadChainSetting } from '../chain/chain-setting.ts'
import type { Config } from '../config.ts'
import type { Place } from '../places/addresses.ts'
import { profileOf } from '../places/profile.ts'
import { facilitatorKeyOf } from './facilitator-key.ts'
import { openWallets } from './open-wallets.ts'

/** The endpoints that list and find what is sold, and their ports over the facilitator's listings. */
export type Discovery = {
  readonly endpoints: readonly Endpoint[]
  openPorts(listings: Listings): Promise<object>
}

export type FacilitatorOptions = {
  readonly config: Config
  readonly chain: ReadChainSetting
  readonly state: State
  readonly logger: Logger
  readonly tracer?: Tracer | undefined
  readonly place: Place
  /** Default none. */
  readonly discovery?: Discovery | undefined
  readonly limits?: Partial<GateLimits>
  /** As in `SellingOptions`. */
  readonly nonceLeaseMs?: number
  readonly waitMs?: number
  /** As in `InProcessOptions`. */
  readonly batchSize?: number
}

/** Above any rate: requests are counted once they are read, unless they have an API key. */
const NO_LIMIT = Number.MAX_SAFE_INTEGER
const DAY_MS = 24 * 60 * 60_000

/** Serves the facilitator at its address. @throws ConfigError without a key. */
export async function serveFacilitator(
  options: FacilitatorOptions,
): Promise<Listening & Pick<OpenSettlements, 'opening'>> {
  const { config, chain, state, logger, place, discovery, limits, nonceLeaseMs, waitMs, batchSize } = options
  const key = facilitatorKeyOf(config, chain)
  if (!key) throw new ConfigError(['TOLLBOOK_FACILITATOR_KEY: required by the facilitator service'])
  const payeeGas = createPayeeGas({
    state,
    maxGas: config.TOLLBOOK_FACILITATOR_GAS_PER_PAYEE,
    clock: () => new Date(),
    onError: toErrorLog(logger, 'gas of payees not stored'),
  })
  const transactions = createTransactionMetrics()
  const facilitator = await openWallets({ config, chain, state, logger, nonceLeaseMs }, key, {
    onMined: (mined) => {
      payeeGas.note(mined)
      transactions.noteMined(mined)
    },
    ...(batchSize !== undefined && { batchSize }),
  })
  const registry = new Registry()
  const metrics = registerFacilitatorMetrics(registry)
  transactions.register(registry, facilitator.waiting)
  const events = createGateMetrics()
  const opened = await openSettlements({
    state,
    facilitator,
    payeeGas,
    logger,
    chainReader: createChainReader(chain.access),
    policy: createPolicy({
      payees: config.TOLLBOOK_FACILITATOR_PAYEES,
      refused: config.TOLLBOOK_FACILITATOR_REFUSED,
    }),
    dataDir: config.TOLLBOOK_DATA_DIR,
    payerPerMinute: config.TOLLBOOK_UNPAID_PER_MINUTE,
    count: events.count,
    noteSettlement: events.noteSettlement,
    limits: {
      maxGasPercent: config.TOLLBOOK_MAX_GAS_PERCENT,
      barMs: config.TOLLBOOK_REVERT_BAR_DAYS * DAY_MS,
      ...limits,
    },
    ...(waitMs !== undefined && { waitMs }),
  })
  const { settlementCost, gasLeft } = opened
  events.register('facilitator', createMeter(registry), { settlementCost, gasLeft, state })
  const clock = () => new Date()
  const payers = createListingPayers({
    state,
    clock,
    onError: toErrorLog(logger, 'payers of listings not stored'),
  })
  const isOpen = config.TOLLBOOK_PRIVATE_NETWORK === 'allow'
  const privateHosts = isOpen ? 'any' : chain.isDev ? 'loopback' : 'none'
  const { network } = chain.access
  const listings = createListings({ state, payers, privateHosts, network, clock })
  const ports = {
    listings,
    ...(await discovery?.openPorts(listings)),
    settlements: opened.settlements,
    channels: opened.channels,
    metrics,
    network,
    isLocal: chain.isDev,
    wallets: facilitator.addresses,
    apiKeys: openApiKeys(config.TOLLBOOK_FACILITATOR_API_KEYS),
    limiter: createRateLimiter(config.TOLLBOOK_UNPAID_PER_MINUTE),
    settledLimiter: createRateLimiter(FREE_PER_MINUTE),
  }
  const app = createServiceApp({
    service: createFacilitatorService({
      baseUrl: place.baseUrl,
      ports,
      discovery: discovery?.endpoints ?? [],
      profile: profileOf(config),
    }),
    logger,
    tracer: options.tracer,
    registry,
    operator: createOperatorAccess(config.TOLLBOOK_OPERATOR_KEY),
    limiter: createRateLimiter(NO_LIMIT),
    trustedProxies: config.TOLLBOOK_TRUSTED_PROXIES,
    checks: [{ name: 'settlements', check: async () => opened.health() }],
  })
  const listening = await listen({ app, host: place.host, port: place.port, logger })
  return {
    url: listening.url,
    opening: opened.opening,
    async close() {
      await listening.close()
      await opened.close()
      await facilitator.close()
      await payeeGas.close()
      await payers.close()
    },
  }
}

function toErrorLog(logger: Logger, message: string): (error: unknown) => void {
  return (error) => logger.error({ err: toQuietError(error) }, message)
}
