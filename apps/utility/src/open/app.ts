import type { App } from '@tollbook/runtime/app'
import * as migrations from '../state/migrations.ts'
import type { State } from '../state/state.ts'

/** The utility service; what it does is loaded when it is needed. */
export const service: App<State> = {
  name: 'utility',
  port: 4022,
  migrations: Object.values(migrations),
  preparation: 'browser',
  async prepare(context) {
    const { openBrowser } = await import('./open-browser.ts')
    const { openService } = await import('./open-service.ts')
    const { browsers, row } = await openBrowser(context)
    return { rows: [row], open: (opening) => openService(opening, browsers) }
  },
  async readFiles(config) {
    const { loadModelsFile } = await import('@tollbook/models/files/open-models')
    await loadModelsFile(config)
  },
  async checks(config) {
    const { listChecks } = await import('./list-checks.ts')
    return listChecks(config)
  },
  async describe(services) {
    const { describeUtility } = await import('./describe-utility.ts')
    return describeUtility(services)
  },
  sweep: (state, logger) => async (now, signal) => {
    const { sweepWallets } = await import('../wallet/change-resource.ts')
    const wallets = await sweepWallets(state, now, signal)
    if (wallets > 0) logger.info({ wallets }, 'deleted expired data of wallets')
  },
}
