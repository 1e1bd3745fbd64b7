import { join } from 'node:path'
import { createRandom } from '@tollbook/devchain/demo-week/random'
import { toRequest } from '../load.ts'
import { printPair } from '../print-pair.ts'
import { measureInTurns } from '../rounds.ts'
import { withServers } from '../server-process.ts'
import { postId } from './synthetic-posts.ts'

/** Requests rotate through this many posts. */
const SERVED_POSTS = 1_000
const FIGURE = 'posts by id over HTTP, payment gate bypassed'
const STORE = 'hono 4.13.19, one bare route that asks the same store'
const MEMORY = 'hono 4.13.19, one bare route with the same answers in memory'

type Sample = { readonly state: string; readonly folder: string; readonly posts: number }

/**
 * Rate at which the service serves posts, next to bare Hono routes: one queries the same store, one only has
 * the bytes.
 */
export async function measureServed({ state, folder, posts }: Sample, isQuick: boolean): Promise<void> {
  const options = { rounds: isQuick ? 3 : 5, requests: isQuick ? 5_000 : 12_000, concurrency: 32 }
  const next = createRandom(13)
  const ids = Array.from({ length: SERVED_POSTS }, () => postId(Math.floor(next() * posts)))
  const requests = ids.map((id) => toRequest(`/tweets/by/id?id=${id}`))
  const load = { prepare: () => requests, status: 200 }
  await withServers({ ours: ['posts', { state, log: join(folder, 'tollbook.log') }] }, ({ ours }) =>
    withServers(
      {
        store: ['bare-posts', { from: { state } }],
        memory: ['bare-posts', { from: { url: ours.url, ids } }],
      },
      async ({ store, memory }) => {
        const [tollbook, asking, repeating] = await measureInTurns(
          [
            { ...load, name: 'tollbook', server: ours },
            { ...load, name: STORE, server: store },
            { ...load, name: MEMORY, server: memory },
          ],
          options,
        )
        const pair = { bench: 'social', figure: FIGURE, ours: tollbook, options }
        printPair({ ...pair, peer: STORE, theirs: asking })
        printPair({ ...pair, peer: MEMORY, theirs: repeating })
      },
    ),
  )
}
