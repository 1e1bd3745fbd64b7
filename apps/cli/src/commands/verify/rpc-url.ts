import { UsageError } from '@tollbook/flow/usage-error'
import type { Config } from '@tollbook/runtime/config'

export const RPC_HELP =
  'JSON-RPC of the chain (default: the first of TOLLBOOK_CHAIN_RPC_URL, or the dev chain)'

/** The node to query: the one of --rpc, else the configured one, else the dev chain's. */
export function chooseRpcUrl(provided: unknown, config: Config): string {
  const typed = typeof provided === 'string' ? provided : undefined
  const [set] = config.TOLLBOOK_CHAIN_RPC_URL ?? []
  const url = typed ?? set ?? `http://127.0.0.1:${config.TOLLBOOK_DEVCHAIN_PORT}`
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url))
    throw new UsageError('--rpc must be an http or https URL')
  return url
}
