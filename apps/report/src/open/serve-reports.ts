import { loadSignerRecovery } from '@tollbook/chain/recover'
import { createReadRpc } from '@tollbook/chain/rpc/read-rpc'
import { createWalletSignatures } from '@tollbook/chain/wallet-signatures'
import type { Tracer } from '@tollbook/flow/trace'
import { createRateLimiter } from '@tollbook/http/request/rate-limit'
import { type Listening, listen } from '@tollbook/http/server/serve'
import type { ReadChainSetting } from '@tollbook/runtime/chain/chain-setting'
import type { Config } from '@tollbook/runtime/config'
import type { Place } from '@tollbook/runtime/places/addresses'
import { profileOf } from '@tollbook/runtime/places/profile'
import type { Logger } from 'pino'
import { listFacilitators } from '../chain/facilitator-file.ts'
import type { Evidence } from '../evidence/evidence.ts'
import { withArchive } from '../evidence/packed-evidence.ts'
import { createReportApp } from '../service.ts'
import type { State } from '../state/state.ts'
import { openArchive, publishSecondsOf } from './open-reports.ts'

export type ServingOptions = {
  readonly config: Config
  readonly chain: ReadChainSetting
  readonly state: State
  readonly logger: Logger
  readonly tracer?: Tracer | undefined
  readonly place: Place
  /** Source of the payments behind a report, except for published weeks. */
  readonly evidence: Evidence
}

/** Short, since a caller is waiting: a claim can be sent again. */
const CLAIM_RPC = { timeoutMs: 4_000, attempts: 2 }

export function serveReports(options: ServingOptions): Promise<Listening> {
  const { config, chain, state, logger, place, evidence } = options
  const limiter = createRateLimiter(config.TOLLBOOK_UNPAID_PER_MINUTE)
  const app = createReportApp({
    state,
    logger,
    tracer: options.tracer,
    limiter,
    baseUrl: place.baseUrl,
    profile: profileOf(config),
    facilitators: listFacilitators(config.TOLLBOOK_FACILITATORS_FILE),
    evidence: withArchive(evidence, openArchive(config, state)),
    publishSeconds: publishSecondsOf(config, chain),
    trustedProxies: config.TOLLBOOK_TRUSTED_PROXIES,
    // The URL of the operator's own node may contain a key, which no page may show.
    ...(chain.isDev && { publicRpcUrl: chain.access.rpcUrl, isDemo: true }),
    wallets: createWalletSignatures(
      createReadRpc({ url: chain.access.rpcUrl, ...CLAIM_RPC }),
      loadSignerRecovery().recoverSigner,
    ),
  })
  return listen({ app, host: place.host, port: place.port, logger })
}
