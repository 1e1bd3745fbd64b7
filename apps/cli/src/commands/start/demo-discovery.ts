import { buildDemoListings } from '@tollbook/devchain/demo-week/demo-listings'
import type { NodeConnection } from '@tollbook/http/request/node-connection'
import { type Listening, listen } from '@tollbook/http/server/serve'
import { Hono } from 'hono'
import type { Logger } from 'pino'

/** Serves the listings of the demo week's merchants for the collector. */
export function serveDemoDiscovery(logger: Logger): Promise<Listening> {
  const items = buildDemoListings(new Date())
  const app = new Hono<{ Bindings: Partial<NodeConnection> }>()
  app.get('/discovery/resources', (context) => {
    const offset = toCount(context.req.query('offset'), 0)
    const limit = toCount(context.req.query('limit'), items.length)
    return context.json({
      x402Version: 2,
      items: items.slice(offset, offset + limit),
      pagination: { limit, offset, total: items.length },
    })
  })
  return listen({ app, host: '127.0.0.1', port: 0, logger })
}

function toCount(text: string | undefined, absent: number): number {
  const count = Number(text ?? absent)
  return Number.isSafeInteger(count) && count >= 0 ? count : absent
}
