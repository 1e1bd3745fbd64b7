import { findImage } from '@tollbook/social/image/image-store'
import { createCursors } from '@tollbook/social/paging/cursors'
import type { SocialPorts } from '@tollbook/social/ports'
import { createSocialService } from '@tollbook/social/service'
import { createSessionKeys } from '@tollbook/social/session/session-keys'
import { createSessions } from '@tollbook/social/session/sessions'
import type { SocialProvider } from '@tollbook/social/source/provider'
import { createStoreProvider } from '@tollbook/social/source/store/store-provider'
import type { State } from '@tollbook/social/state/state'
import { createWorkerPool, type WorkerPool } from '@tollbook/workers/pool'
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
