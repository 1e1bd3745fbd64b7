import type { Check } from '@tollbook/runtime/app'
import type { Config } from '@tollbook/runtime/config'
import type { Discovery } from '@tollbook/runtime/selling/serve-facilitator'
import * as claims from '../state/claim-migrations.ts'
import * as indexer from '../state/index-migrations.ts'
import * as reports from '../state/migrations.ts'
import type { State } from '../state/state.ts'
import type { WeeksCheck } from './check-weeks.ts'

/** The indexer and the report service, which is free; what they do is loaded when it is needed. */
export const app = {
  migrations: [claims, indexer, reports].flatMap((area) => Object.values(area)),
  /** Whether payments of the configured network are reported. */
  async hasReports(config: Config): Promise<boolean> {
    const { hasReports } = await import('./report-network.ts')
    return hasReports(config)
  },
  /** Reads the files that settings name. @throws ConfigError for those that cannot be used */
  async readFiles(config: Config, part: 'index' | 'report'): Promise<void> {
    const { readFiles } = await import('./read-files.ts')
    await readFiles(config, part)
  },
  async checks(config: Config): Promise<readonly Check[]> {
    const { hasReports } = await import('./report-network.ts')
    if (!hasReports(config)) return []
    const { checkLedger } = await import('./check-ledger.ts')
    return [['ledger', () => checkLedger(config)]]
  },
  /** Where the payments read from the chain are: the folder, or the origin of the servers. */
  async nameLedger(config: Config): Promise<string> {
    const { folderOf } = await import('../ledger/ledger-url.ts')
    const { ledgerUrlOf } = await import('./open-reports.ts')
    const ledger = ledgerUrlOf(config)
    return folderOf(ledger) === null ? new URL(ledger).origin : ledger
  },
  /** Reads the payments of each published week against their digest. */
  async checkWeeks(state: State, config: Config): Promise<WeeksCheck> {
    const { checkWeeks } = await import('./check-weeks.ts')
    return checkWeeks(state, config)
  },
  /** What lists the endpoints that a facilitator settled for. */
  async openDiscovery(options: { readonly config: Config; readonly state: State }): Promise<Discovery> {
    const { openDiscovery } = await import('./open-discovery.ts')
    return openDiscovery(options)
  },
}

export type ReportApp = typeof app
