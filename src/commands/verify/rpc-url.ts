import type { Config } from '../../config.ts'
import { UsageError } from '../command.ts'

export const RPC_HELP =
  'JSON-RPC of the chain (default: the first of TOLLBOOK_CHAIN_RPC_URL, or the dev chain)'

/** The node that is asked: the one that was named, else that of the settings, else the dev chain's. */
export function chooseRpcUrl(given: unknown, config: Config): string {
  const typed = typeof given === 'string' ? given : undefined
  const [set] = config.TOLLBOOK_CHAIN_RPC_URL ?? []
  const url = typed ?? set ?? `http://127.0.0.1:${config.TOLLBOOK_DEVCHAIN_PORT}`
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url))
    throw new UsageError('--rpc takes an http or https URL')
  return url
}
