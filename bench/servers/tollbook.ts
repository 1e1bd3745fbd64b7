import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrateState } from '@tollbook/cli/commands/migrations/migrate-state'
import { openState } from '@tollbook/cli/commands/state/open'
import type { RunningFacilitator } from '@tollbook/gate/facilitator'
import { devChainSetting } from '@tollbook/runtime/chain/chain-setting'
import { loadConfig } from '@tollbook/runtime/config'
import { placeService } from '@tollbook/runtime/places/addresses'
import { openLog } from '@tollbook/runtime/process/open-log'
import { openSelling } from '@tollbook/runtime/selling/selling'
import { createWorkerPool } from '@tollbook/workers/pool'
import { openServiceOf } from '../../test/open-service-of.ts'
import { BENCH_TIER, CHAT_MODEL } from './chat-request.ts'
import { type Served, serveMeasured } from './measured.ts'

export type TollbookOptions = {
  /** Without a chain, the facilitator answers at once. */
  readonly rpcUrl?: string
  /**
   * URL of the chat completions. If set, the inference service is sold, with this upstream behind
   * `BENCH_TIER`.
   */
  readonly chatUrl?: string
  /** Whether offers and receipts are signed, which the servers of the comparison do not do; default false. */
  readonly isSigned?: boolean
}

/** Nothing listens there: a benchmark whose facilitator answers at once must never query a chain. */
const NO_CHAIN = 'http://127.0.0.1:1'

await serveMeasured(serveTollbook)

/** A service as `start` runs it, by default the utility service: the state in SQLite, the log in a file. */
async function serveTollbook({ rpcUrl, chatUrl, isSigned }: TollbookOptions): Promise<Served> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tollbook-bench-'))
  const name = chatUrl === undefined ? 'utility' : 'inference'
  const modelsFile = join(dataDir, 'models.json')
  const upstreams = [{ base_url: `${chatUrl}/v1`, model: CHAT_MODEL }]
  await writeFile(modelsFile, JSON.stringify({ tiers: { [BENCH_TIER]: { upstreams } } }))
  const config = loadConfig({
    TOLLBOOK_DATA_DIR: dataDir,
    TOLLBOOK_UTILITY_PORT: '0',
    TOLLBOOK_INFERENCE_PORT: '0',
    TOLLBOOK_FACILITATOR_PORT: '0',
    ...(chatUrl !== undefined && { TOLLBOOK_MODELS_FILE: modelsFile }),
    TOLLBOOK_SIGNED_OFFERS: isSigned ? 'eip712' : 'off',
    TOLLBOOK_UNPAID_PER_MINUTE: '1000000000',
  })
  const state = await openState(`sqlite:${join(dataDir, 'state.sqlite')}`)
  await migrateState(state)
  const logger = openLog(config, join(dataDir, 'tollbook.log'))
  const chain = devChainSetting(config, rpcUrl ?? NO_CHAIN)
  const facilitator = rpcUrl === undefined ? { facilitator: createInstantFacilitator() } : {}
  const selling = await openSelling({ config, chain, state, logger, ...facilitator })
  const place = await placeService(config, name)
  const workers = createWorkerPool()
  await selling.open(
    await openServiceOf(name, { config, baseUrl: place.baseUrl, state, workers, logger }),
    place,
  )
  return {
    url: place.baseUrl,
    async close() {
      await selling.close()
      await workers.close()
      await state.close()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/** Accepts every payment unchecked, and makes the ledger record a transaction as a real facilitator does. */
function createInstantFacilitator(): RunningFacilitator {
  return {
    address: null,
    verify: async () => ({ isValid: true }),
    async settle({ payment, amount, beforeSend }) {
      // As long and as unique as a hash.
      const transaction = payment.nonce
      await beforeSend(transaction)
      return { outcome: 'settled', transaction, amount }
    },
    health: async () => ({ isHealthy: true, detail: 'answers at once' }),
    close: async () => {},
  }
}
