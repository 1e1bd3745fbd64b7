import { DEV_CLIENT_KEYS } from '@tollbook/chain/dev-accounts'
import type { Network } from '@tollbook/chain/network'
import { type AtomicUsdc, parseUsd } from '@tollbook/chain/usdc'
import { UsageError } from '@tollbook/flow/usage-error'
import type { Config } from '@tollbook/runtime/config'

type CallWallet = { readonly key: `0x${string}`; readonly rpcUrl: string; readonly network: Network }

/** On the dev chain only its well-known accounts pay: a signature is also valid on the network of its chain id. */
export function readWallet(config: Config, account: unknown): CallWallet {
  const { TOLLBOOK_NETWORK: network } = config
  const [realRpcUrl] = config.TOLLBOOK_CHAIN_RPC_URL ?? []
  if (realRpcUrl !== undefined) {
    if (account !== undefined)
      throw new UsageError('--account is for the dev chain, but TOLLBOOK_CHAIN_RPC_URL is set')
    if (!config.TOLLBOOK_CALL_KEY)
      throw new UsageError('set TOLLBOOK_CALL_KEY to the private key of the paying wallet')
    return { key: config.TOLLBOOK_CALL_KEY as `0x${string}`, rpcUrl: realRpcUrl, network }
  }
  const key = /^\d$/.test(String(account ?? '0')) ? DEV_CLIENT_KEYS[Number(account ?? 0)] : undefined
  if (!key) throw new UsageError('--account must be a digit, 0 to 9')
  return { key, rpcUrl: `http://127.0.0.1:${config.TOLLBOOK_DEVCHAIN_PORT}`, network }
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
