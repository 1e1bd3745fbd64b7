import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { Buyer } from '../../src/buying/buyer.ts'
import { createProxy } from '../../src/buying/proxy/serve-proxy.ts'
import { openSpendingLog } from '../../src/buying/spending-log.ts'
import { devKey } from '../../src/devchain/accounts.ts'
import { listen } from '../../src/http/server/serve.ts'
import { parseUsd } from '../../src/money/usdc.ts'
import { type Served, serveMeasured } from './measured.ts'

/** An `exact` payment with a receipt needs no look at the chain. */
const chain = { findSettlement: () => Promise.reject(new Error('no chain')) }

await serveMeasured(serveProxy)

/** `tollbook proxy` with a log on disk. */
async function serveProxy({ to }: { readonly to: string }): Promise<Served> {
  const folder = await mkdtemp(join(tmpdir(), 'tollbook-bench-proxy-'))
  const log = openSpendingLog(join(folder, 'spending.sqlite'))
  const buyer = new Buyer({
    log,
    chain,
    key: devKey('bench buyer'),
    rpcUrl: 'http://127.0.0.1:1',
    budget: parseUsd('1000000'),
    max: parseUsd('1'),
  })
  const logger = pino({ level: 'silent' })
  const listening = await listen({ app: createProxy({ buyer, to }), host: '127.0.0.1', port: 0, logger })
  return {
    url: listening.url,
    async close() {
      await listening.close()
      log.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
