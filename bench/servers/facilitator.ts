import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serve } from '@hono/node-server'
import { migrateState } from '@tollbook/cli/commands/migrations/migrate-state'
import { openState } from '@tollbook/cli/commands/state/open'
import { openDiscovery } from '@tollbook/report/open/open-discovery'
import { devChainSetting } from '@tollbook/runtime/chain/chain-setting'
import { loadConfig } from '@tollbook/runtime/config'
import { openLog } from '@tollbook/runtime/process/open-log'
import { serveFacilitator } from '@tollbook/runtime/selling/serve-facilitator'
import { Hono } from 'hono'
import { type Served, serveMeasured } from './measured.ts'
import { createInProcessClient } from './stock-facilitators.ts'

export type FacilitatorServerOptions = {
  readonly rpcUrl: string
  /** The SDK's own, behind HTTP; ours in batches; or ours with a transaction for each payment. */
  readonly kind: 'stock' | 'batches' | 'singles'
}

await serveMeasured((options: FacilitatorServerOptions) =>
  options.kind === 'stock' ? serveStock(options) : serveOurs(options),
)

/** The facilitator service as `start` runs it: the state in SQLite, the log in a file. */
async function serveOurs({ rpcUrl, kind }: FacilitatorServerOptions): Promise<Served> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tollbook-bench-'))
  const config = loadConfig({
    TOLLBOOK_DATA_DIR: dataDir,
    TOLLBOOK_UNPAID_PER_MINUTE: '1000000000',
    TOLLBOOK_FACILITATOR_GAS_PER_PAYEE: '0',
  })
  const state = await openState(`sqlite:${join(dataDir, 'state.sqlite')}`)
  await migrateState(state)
  const listening = await serveFacilitator({
    config,
    discovery: openDiscovery({ config, state }),
    chain: devChainSetting(config, rpcUrl),
    state,
    logger: openLog(config, join(dataDir, 'tollbook.log')),
    place: { host: '127.0.0.1', port: 0, baseUrl: 'http://127.0.0.1:4025' },
    ...(kind === 'singles' && { batchSize: 1 }),
  })
  return {
    url: listening.url,
    async close() {
      await listening.close()
      await state.close()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/** The SDK's facilitator as its guide serves it; it stores nothing. */
async function serveStock({ rpcUrl }: FacilitatorServerOptions): Promise<Served> {
  const client = createInProcessClient(rpcUrl)
  const app = new Hono()
  app.post('/settle', async (context) => {
    const { paymentPayload, paymentRequirements } = await context.req.json()
    const settled = await client.settle(paymentPayload, paymentRequirements)
    return context.json(settled, settled.success ? 200 : 500)
  })
  return new Promise((resolve) => {
    const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => {
      const close = () => new Promise<void>((done) => server.close(() => done()))
      resolve({ url: `http://127.0.0.1:${port}`, close })
    })
  })
}
