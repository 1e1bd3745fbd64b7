import { serve } from '@hono/node-server'
import { openState } from '@tollbook/cli/commands/state/open'
import { includesOf, withAuthors } from '@tollbook/social/envelope/compose'
import { createStoreProvider } from '@tollbook/social/source/store/store-provider'
import { createWorkerPool } from '@tollbook/workers/pool'
import { Hono } from 'hono'
import { type Served, serveMeasured } from './measured.ts'

export type BarePostsOptions = {
  /** A server whose answers are replayed from memory, or a state whose store is queried for each request. */
  readonly from: { readonly url: string; readonly ids: readonly string[] } | { readonly state: string }
}

type Answer = { readonly body: string; readonly headers: Readonly<Record<string, string>> }

await serveMeasured(serveBare)

/** One bare Hono route. */
async function serveBare({ from }: BarePostsOptions): Promise<Served> {
  const app = new Hono()
  let close = async () => {}
  if ('state' in from) {
    const state = await openState(from.state)
    const workers = createWorkerPool()
    close = () => state.close()
    const { tweetById } = createStoreProvider({ state, workers }).operations
    const { signal } = new AbortController()
    app.get('/tweets/by/id', async (context) => {
      const found = await tweetById?.(context.req.query('id') ?? '', { signal })
      if (!found) return context.notFound()
      const [data] = withAuthors([found.data], found.includes)
      return context.json({ data, ...includesOf(found.includes) })
    })
  } else {
    const answers = new Map<string, Answer>()
    for (const id of from.ids) {
      const answer = await fetch(`${from.url}/tweets/by/id?id=${id}`, {
        headers: { 'accept-encoding': 'identity' },
      })
      answers.set(id, { body: await answer.text(), headers: Object.fromEntries(answer.headers) })
    }
    app.get('/tweets/by/id', (context) => {
      const answer = answers.get(context.req.query('id') ?? '')
      return answer ? context.body(answer.body, 200, answer.headers) : context.notFound()
    })
  }
  return new Promise((resolve) => {
    const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => {
      resolve({
        url: `http://127.0.0.1:${port}`,
        async close() {
          await new Promise<void>((done) => server.close(() => done()))
          await close()
        },
      })
    })
  })
}
