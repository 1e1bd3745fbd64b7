import { findImage } from '../../src/social/image/image-store.ts'
import { createCursors } from '../../src/social/paging/cursors.ts'
import type { SocialPorts } from '../../src/social/ports.ts'
import { createSocialService } from '../../src/social/service.ts'
import { createSessionKeys } from '../../src/social/session/session-keys.ts'
import { createSessions } from '../../src/social/session/sessions.ts'
import type { SocialProvider } from '../../src/social/source/provider.ts'
import { createStoreProvider } from '../../src/social/source/store/store-provider.ts'
import type { State } from '../../src/social/state/state.ts'
import { createWorkerPool, type WorkerPool } from '../../src/workers/pool.ts'
import { openService } from '../catalogue/open-service.ts'
import { TEST_TIME } from '../catalogue/run-endpoint.ts'

let pool: WorkerPool | undefined

/** The worker process of a test file; idle, it does not keep the file's process alive, and ends with it. */
export function testWorkers(): WorkerPool {
  pool ??= createWorkerPool({ threads: 1, deadlineScale: 100 })
  return pool
}

/** The keys that the sessions of examples belong to. */
export const testSessionKeys = createSessionKeys(new Uint8Array(32))

/** The ports of the social service on the store only, with a key that every test knows. */
export function socialPorts(state: State): SocialPorts {
  return {
    provider: createStoreProvider({ state, workers: testWorkers() }, () => TEST_TIME),
    cursors: createCursors(new Uint8Array(32)),
    sessions: createSessions({ state, keys: testSessionKeys, oauth: null }),
    findImage: (mediaId, now) => findImage(state, mediaId, now),
  }
}

/** The social service, on the store unless another source is passed; called without a network. */
export async function openSocial(state: State, provider?: SocialProvider) {
  const ports = { ...socialPorts(state), ...(provider && { provider }) }
  const service = await createSocialService({ baseUrl: 'https://test.example', ports, pages: {} })
  return { service, ...openService(service) }
}
