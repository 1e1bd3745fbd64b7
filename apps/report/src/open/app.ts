import type { Check } from '@tollbook/runtime/app'
import type { Config } from '@tollbook/runtime/config'
import type { Discovery } from '@tollbook/runtime/selling/serve-facilitator'
import * as claims from '../state/claim-migrations.ts'
import * as indexer from '../state/index-migrations.ts'
import * as reports from '../state/migrations.ts'
import type { State } from '../state/state.ts'

/** The indexer and the report service, which is free; what they do is loaded when it is needed. */
export const app = {
  migrations: [claims, indexer, reports].flatMap((area) => Object.values(area)),
  /** Reads the files that settings name. @throws ConfigError for those that cannot be used */
  async readFiles(config: Config, part: 'index' | 'report'): Promise<void> {
    const { readFiles } = await import('./read-files.ts')
    await readFiles(config, part)
  },
  async checks(config: Config): Promise<readonly Check[]> {
    const { checkLedger } = await import('./check-ledger.ts')
    return [['ledger', () => checkLedger(config)]]
  },
  /** What lists the endpoints that a facilitator settled for. */
  async openDiscovery(options: { readonly config: Config; readonly state: State }): Promise<Discovery> {
    const { openDiscovery } = await import('./open-discovery.ts')
    return openDiscovery(options)
  },
}

export type ReportApp = typeof app
