import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLogger } from '@tollbook/http/operations/logger'
import { createRateLimiter } from '@tollbook/http/request/rate-limit'
import { listen } from '@tollbook/http/server/serve'
import { createReportApp } from '@tollbook/report/service'
import { destination } from 'pino'
import { type Served, serveMeasured } from './measured.ts'
import { openPublishedSample } from './published-sample.ts'

/** Above any measured rate: the limiter counts requests and rejects none. */
const NO_LIMIT = 1_000_000_000

await serveMeasured(serveReports)

/** The report service as `start` runs it: the state in SQLite, the log in a file. */
async function serveReports(): Promise<Served> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tollbook-bench-'))
  const state = await openPublishedSample(`sqlite:${join(dataDir, 'state.sqlite')}`)
  const logger = createLogger('info', destination(join(dataDir, 'tollbook.log')))
  const app = createReportApp({
    state,
    logger,
    publishSeconds: 600,
    baseUrl: 'https://tollbook.example',
    limiter: createRateLimiter(NO_LIMIT),
    evidence: { async *payments() {} },
  })
  const listening = await listen({ app, host: '127.0.0.1', port: 0, logger })
  return {
    url: listening.url,
    async close() {
      await listening.close()
      await state.close()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
