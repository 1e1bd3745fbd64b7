import { randomUUID } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import { flushCompileCache } from 'node:module'
import { join } from 'node:path'
import { migrateState } from '@tollbook/cli/commands/migrations/migrate-state'
import { openState } from '@tollbook/cli/commands/state/open'
import { devChainSetting } from '@tollbook/runtime/chain/chain-setting'
import { loadConfig } from '@tollbook/runtime/config'
import { placeService } from '@tollbook/runtime/places/addresses'
import { openSelling } from '@tollbook/runtime/selling/selling'
import { append } from '@tollbook/utility/endpoints/api/store/{collection}/endpoint'
import { pino } from 'pino'
import { GOODS, type GoodsPorts } from './goods.ts'
import { openRunLog } from './run-log.ts'
import { type FromSeller, SELLERS_LOG, type SellerSetting, type ToSeller } from './seller.ts'

/**
 * A process that sells and may be killed at any moment. It loads, waits for the command to open, and then
 * prints its address and every run of a handler. Argument: a SellerSetting as JSON.
 */
const setting = JSON.parse(process.argv[2] ?? '') as SellerSetting
const tell = (message: FromSeller) => process.send?.(message)
const goingOn = new EventEmitter()
const released = new Set<string>()

process.once('disconnect', () => process.exit(1))
process.on('message', (message: ToSeller) => {
  if (message === 'open') return void open()
  released.add(message.goOn)
  goingOn.emit(message.goOn)
})
flushCompileCache()
tell('loaded')

async function open(): Promise<void> {
  const { dataDir, stateUrl, rpcUrl, baseUrl, limits, nonceLeaseMs, facilitatorUrl } = setting
  const config = loadConfig({
    TOLLBOOK_DATA_DIR: dataDir,
    TOLLBOOK_UTILITY_PORT: '0',
    TOLLBOOK_UTILITY_BASE_URL: baseUrl,
    TOLLBOOK_UNPAID_PER_MINUTE: '1000000',
    // Channels are claimed between kills.
    TOLLBOOK_CHANNEL_CLAIM_SECONDS: '1',
    TOLLBOOK_CHANNEL_QUIET_SECONDS: '1',
    ...(facilitatorUrl && { TOLLBOOK_FACILITATOR_URL: facilitatorUrl }),
  })
  const state = await openState(stateUrl)
  await migrateState(state)
  // Written synchronously: the final output of a killed process matters most.
  const destination = pino.destination({ dest: join(dataDir, SELLERS_LOG), append: true, sync: true })
  const logger = pino({ level: 'warn' }, destination)
  const chain = devChainSetting(config, rpcUrl)
  const selling = await openSelling({ config, chain, state, logger, limits, nonceLeaseMs })
  const place = await placeService(config, 'utility')
  const service = {
    name: 'utility',
    title: 'Goods',
    description: 'Sells while it is killed.',
    baseUrl,
    endpoints: [append, Object.values(GOODS)].flat(),
    ports: { ...createPorts(), state },
  } as const
  const { url } = await selling.open(service, place)
  tell({ url })
}

function createPorts(): GoodsPorts {
  const log = openRunLog(setting.dataDir)
  const name = randomUUID().slice(0, 8)
  let runs = 0
  return {
    begin: async ({ call, isHeld, signal }) => {
      runs += 1
      const run = `${name}-${runs}`
      log.append(call, run)
      tell({ ran: call })
      if (isHeld && !released.has(call)) await once(goingOn, call, { signal })
      return run
    },
  }
}
