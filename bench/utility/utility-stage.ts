import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrateState } from '@tollbook/cli/commands/migrations/migrate-state'
import { openState } from '@tollbook/cli/commands/state/open'
import { createSafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import { startDnsServer } from '@tollbook/testing/servers/dns-server'
import { utilityPorts } from '@tollbook/testing/utility/utility-ports'
import { createDnsResolver } from '@tollbook/utility/dns/dns-resolver'
import type { UtilityPorts } from '@tollbook/utility/ports'
import { createWorkerPool } from '@tollbook/workers/pool'
import { withServers } from '../server-process.ts'
import type { PagesOptions } from '../servers/pages.ts'

export type Stage = {
  readonly ports: UtilityPorts
  /** The name server; it has only example.com. */
  readonly nameServer: string
  readonly urlOf: (page: number) => string
}

/**
 * Provides the ports of the service while `use` runs, with everything that the service queries on loopback.
 */
export function withStage(pages: PagesOptions, use: (stage: Stage) => Promise<void>): Promise<void> {
  return withServers({ site: ['pages', pages] }, async ({ site }) => {
    const folder = await mkdtemp(join(tmpdir(), 'tollbook-utility-'))
    const state = await openState(`sqlite:${join(folder, 'state.sqlite')}`)
    await migrateState(state)
    const nameServer = await startDnsServer({
      'example.com': {
        A: ['192.0.2.1'],
        MX: [[5, 'mail.example.com']],
        TXT: ['v=spf1 -all'],
        NS: ['ns.example.com'],
      },
    })
    const workers = createWorkerPool()
    const fetch = createSafeFetch({ allowPrivateNetwork: true })
    const dns = createDnsResolver({ servers: [nameServer.address] })
    try {
      await use({
        ports: utilityPorts(state, { fetch, dns, workers }),
        nameServer: nameServer.address,
        urlOf: (page) => `${site.url}/${page}`,
      })
    } finally {
      await workers.close()
      await nameServer.close()
      await state.close()
      await rm(folder, { recursive: true, force: true })
    }
  })
}
