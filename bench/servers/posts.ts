import { createServiceApp } from '../../src/catalogue/serving/router.ts'
import { serveFree } from '../../src/catalogue/serving/serve-free.ts'
import { openState } from '../../src/commands/state/open.ts'
import { devPayTo } from '../../src/devchain/accounts.ts'
import { createRateLimiter } from '../../src/http/request/rate-limit.ts'
import { listen } from '../../src/http/server/serve.ts'
import { BASE } from '../../src/money/network.ts'
import { loadConfig } from '../../src/runtime/config.ts'
import { openLog } from '../../src/runtime/process/open-log.ts'
import { findImage } from '../../src/social/image/image-store.ts'
import { createCursors } from '../../src/social/paging/cursors.ts'
import { createSocialService } from '../../src/social/service.ts'
import { createSessionKeys } from '../../src/social/session/session-keys.ts'
import { createSessions } from '../../src/social/session/sessions.ts'
import { createStoreProvider } from '../../src/social/source/store/store-provider.ts'
import { createWorkerPool } from '../../src/workers/pool.ts'
import { type Served, serveMeasured } from './measured.ts'

export type PostsOptions = {
  /** URL of the state that holds the posts. */
  readonly state: string
  readonly log: string
}

/** Above any measured rate: the limiter counts requests and rejects none. */
const NO_LIMIT = 1_000_000_000
const BASE_URL = 'https://social.example'

await serveMeasured(servePosts)

/**
 * The social service on its store as `start` runs it, except that its gate lets every call through: routes,
 * arguments, limits, the handler's timeout, log and metrics are those of a paid call.
 */
async function servePosts({ state: url, log }: PostsOptions): Promise<Served> {
  const state = await openState(url)
  const workers = createWorkerPool()
  const logger = openLog(loadConfig({}), log)
  const limiter = createRateLimiter(NO_LIMIT)
  const keys = createSessionKeys(new Uint8Array(32))
  const service = await createSocialService({
    baseUrl: BASE_URL,
    ports: {
      provider: createStoreProvider({ state, workers }),
      cursors: createCursors(new Uint8Array(32)),
      sessions: createSessions({ state, keys, oauth: null }),
      findImage: (mediaId, now) => findImage(state, mediaId, now),
    },
    pages: {},
  })
  const app = createServiceApp({
    service,
    logger,
    limiter,
    gate: { serve: (exchange) => serveFree(exchange, { limiter }) },
    seller: {
      network: BASE.id,
      asset: BASE.usdc,
      assetName: BASE.usdcName,
      assetVersion: BASE.usdcVersion,
      payTo: devPayTo.social,
    },
  })
  const listening = await listen({ app, host: '127.0.0.1', port: 0, logger })
  return {
    url: listening.url,
    async close() {
      await listening.close()
      await workers.close()
      await state.close()
    },
  }
}
