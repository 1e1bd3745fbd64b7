import { flushCompileCache } from 'node:module'
import { join } from 'node:path'
import { migrateState } from '@tollbook/cli/commands/migrations/migrate-state'
import { openState } from '@tollbook/cli/commands/state/open'
import { openDiscovery } from '@tollbook/report/open/open-discovery'
import { devChainSetting } from '@tollbook/runtime/chain/chain-setting'
import { loadConfig } from '@tollbook/runtime/config'
import { serveFacilitator } from '@tollbook/runtime/selling/serve-facilitator'
import { pino } from 'pino'
import { type FromSeller, SELLERS_LOG, type SellerSetting, type ToSeller } from './seller.ts'

/** A facilitator that may be killed at any moment. Argument: a SellerSetting as JSON. */
const setting = JSON.parse(process.argv[2] ?? '') as SellerSetting
const tell = (message: FromSeller) => process.send?.(message)

process.once('disconnect', () => process.exit(1))
process.on('message', (message: ToSeller) => {
  if (message === 'open') void open()
})
flushCompileCache()
tell('loaded')

async function open(): Promise<void> {
  const { dataDir, stateUrl, rpcUrl, baseUrl, limits, nonceLeaseMs } = setting
  const config = loadConfig({
    TOLLBOOK_DATA_DIR: dataDir,
    TOLLBOOK_UNPAID_PER_MINUTE: '1000000',
    TOLLBOOK_FACILITATOR_GAS_PER_PAYEE: '0',
  })
  const state = await openState(stateUrl)
  await migrateState(state)
  // As in the seller's process.
  const destination = pino.destination({ dest: join(dataDir, SELLERS_LOG), append: true, sync: true })
  const logger = pino({ level: 'warn' }, destination)
  const chain = devChainSetting(config, rpcUrl)
  const place = { host: '127.0.0.1', port: 0, baseUrl }
  const { url } = await serveFacilitator({
    config,
    chain,
    state,
    logger,
    place,
    discovery: openDiscovery({ config, state }),
    limits,
    nonceLeaseMs,
  })
  tell({ url })
}
