import { join } from 'node:path'
import { createChainReader } from '@tollbook/gate/reading/chain-reader'
import { Buyer } from '@tollbook/pay/buyer'
import { DEFAULT_MAX_USD } from '@tollbook/pay/pay'
import { openSpendingLog, type SpendingLog } from '@tollbook/pay/spending-log'
import { findReadChain } from '@tollbook/runtime/chain/chain-setting'
import type { Config } from '@tollbook/runtime/config'
import type { Shutdown } from '@tollbook/runtime/process/shutdown'
import { NETWORK_OPTION } from '../command.ts'
import { readUsd, readWallet } from './wallet.ts'

export const BUDGET_OPTIONS = {
  budget: {
    type: 'string',
    value: 'usd',
    help: 'maximum of all payments in the log, in dollars; required',
  },
  max: {
    type: 'string',
    value: 'usd',
    help: `maximum price of a call, in dollars (default ${DEFAULT_MAX_USD})`,
  },
  log: {
    type: 'string',
    value: 'file',
    help: 'the spending log (default spending.sqlite in TOLLBOOK_DATA_DIR); processes of one log share its budget',
  },
  account: { type: 'string', value: '0-9', help: 'the account of the dev chain that pays (default 0)' },
  ...NETWORK_OPTION,
} as const

/** The buyer of `BUDGET_OPTIONS`. @throws ConfigError if the chain cannot be read: it shows what was charged. */
export async function openBuyer(
  config: Config,
  values: Readonly<Record<string, unknown>>,
  shutdown: Shutdown,
): Promise<{ readonly buyer: Buyer; readonly logPath: string }> {
  const budget = readUsd(values.budget, '--budget')
  const max = readUsd(values.max ?? DEFAULT_MAX_USD, '--max')
  const wallet = readWallet(config, values.account)
  const { access } = await findReadChain(config)
  const logPath = String(values.log ?? join(config.TOLLBOOK_DATA_DIR, 'spending.sqlite'))
  const log = openLogAt(logPath)
  shutdown.onClose(async () => log.close())
  const buyer = new Buyer({ log, chain: createChainReader(access), ...wallet, budget, max })
  await buyer.reconcile()
  return { buyer, logPath }
}

function openLogAt(path: string): SpendingLog {
  try {
    return openSpendingLog(path)
  } catch (cause) {
    throw new Error(`${path}: ${(cause as Error).message}`, { cause })
  }
}
