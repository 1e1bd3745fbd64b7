import { join } from 'node:path'
import { DEV_CLIENT_KEYS } from '@tollbook/chain/dev-accounts'
import { type AtomicUsdc, parseUsd } from '@tollbook/chain/usdc'
import { createChainReader } from '@tollbook/facilitator/settlement/chain/chain-reader'
import { UsageError } from '@tollbook/flow/usage-error'
import { Buyer } from '@tollbook/pay/buyer'
import { DEFAULT_MAX_USD } from '@tollbook/pay/pay'
import { openSpendingLog, type SpendingLog } from '@tollbook/pay/spending-log'
import { findReadChain } from '@tollbook/runtime/chain/chain-setting'
import type { Config } from '@tollbook/runtime/config'
import type { Shutdown } from '@tollbook/runtime/process/shutdown'

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
} as const

/** On the dev chain only its well-known accounts pay: a signature is also valid on Base (eip155:8453). */
export function readWallet(config: Config, account: unknown): { key: `0x${string}`; rpcUrl: string } {
  const [realRpcUrl] = config.TOLLBOOK_CHAIN_RPC_URL ?? []
  if (realRpcUrl !== undefined) {
    if (account !== undefined)
      throw new UsageError('--account is for the dev chain, but TOLLBOOK_CHAIN_RPC_URL is set')
    if (!config.TOLLBOOK_CALL_KEY)
      throw new UsageError('set TOLLBOOK_CALL_KEY to the private key of the paying wallet')
    return { key: config.TOLLBOOK_CALL_KEY as `0x${string}`, rpcUrl: realRpcUrl }
  }
  const key = /^\d$/.test(String(account ?? '0')) ? DEV_CLIENT_KEYS[Number(account ?? 0)] : undefined
  if (!key) throw new UsageError('--account must be a digit, 0 to 9')
  return { key, rpcUrl: `http://127.0.0.1:${config.TOLLBOOK_DEVCHAIN_PORT}` }
}

/** @throws UsageError for anything but dollars. */
export function readUsd(text: unknown, name: string): AtomicUsdc {
  if (text === undefined) throw new UsageError(`${name} is required: an amount in dollars, such as 0.05`)
  try {
    return parseUsd(String(text))
  } catch {
    throw new UsageError(`${name} must be an amount in dollars, such as 0.05; not ${text}`)
  }
}

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
