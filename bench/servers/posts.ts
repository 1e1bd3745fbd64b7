import { devPayTo } from '@tollbook/chain/dev-accounts'
import { BASE } from '@tollbook/chain/network'
import { openState } from '@tollbook/cli/commands/state/open'
import { createServiceApp } from '@tollbook/endpoints/serving/router'
import { serveFree } from '@tollbook/endpoints/serving/serve-free'
import { createRateLimiter } from '@tollbook/http/request/rate-limit'
import { listen } from '@tollbook/http/server/serve'
import { loadConfig } from '@tollbook/runtime/config'
import { openLog } from '@tollbook/runtime/process/open-log'
import { findImage } from '@tollbook/social/image/image-store'
import { createCursors } from '@tollbook/social/paging/cursors'
import { createSocialService } from '@tollbook/social/service'
import { createSessionKeys } from '@tollbook/social/session/session-keys'
import { createSessions } from '@tollbook/social/session/sessions'
import { createStoreProvider } from '@tollbook/social/source/store/store-provider'
import { createWorkerPool } from '@tollbook/workers/pool'
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
