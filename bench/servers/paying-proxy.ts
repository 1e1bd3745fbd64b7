import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { devKey } from '@tollbook/chain/dev-accounts'
import { parseUsd } from '@tollbook/chain/usdc'
import { listen } from '@tollbook/http/server/serve'
import { Buyer } from '@tollbook/pay/buyer'
import { createProxy } from '@tollbook/pay/proxy/serve-proxy'
import { openSpendingLog } from '@tollbook/pay/spending-log'
import { pino } from 'pino'
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
