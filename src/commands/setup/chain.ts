import { privateKeyToAddress } from 'viem/accounts'
import type { Address } from '../../catalogue/endpoint.ts'
import type { ServiceName } from '../../catalogue/service.ts'
import { type Config, ConfigError } from '../../config.ts'
import { DEV_CLIENT_KEYS, devFacilitatorKey, devPayTo, devPayToKeys } from '../../devchain/accounts.ts'
import { BASE } from '../../money/base.ts'
import type { ChainAccess } from '../../payments/settlement/options.ts'

/** Which chain payments settle on, with which wallets. */
export type ChainSetting = {
  /** Whether it is the local chain that comes with Tollbook. */
  readonly isDev: boolean
  readonly access: ChainAccess
  /** Key of the in-process facilitator; absent when a facilitator is named by URL. */
  readonly facilitatorKey?: `0x${string}`
  readonly payTo: Readonly<Record<ServiceName, Address>>
}

const SERVICES = ['social', 'utility', 'inference'] as const
const PAY_TO_SETTING = {
  social: 'TOLLBOOK_SOCIAL_PAY_TO',
  utility: 'TOLLBOOK_UTILITY_PAY_TO',
  inference: 'TOLLBOOK_INFERENCE_PAY_TO',
} as const

/** The local chain, and for every setting that is absent its own public wallets. */
export function devChainSetting(config: Config, rpcUrl: string): ChainSetting {
  return {
    isDev: true,
    access: { rpcUrl, chainId: BASE.chainId, asset: BASE.usdc, finalTag: 'latest' },
    ...(!config.TOLLBOOK_FACILITATOR_URL && {
      facilitatorKey: (config.TOLLBOOK_FACILITATOR_KEY as `0x${string}` | undefined) ?? devFacilitatorKey,
    }),
    payTo: {
      social: config.TOLLBOOK_SOCIAL_PAY_TO ?? devPayTo.social,
      utility: config.TOLLBOOK_UTILITY_PAY_TO ?? devPayTo.utility,
      inference: config.TOLLBOOK_INFERENCE_PAY_TO ?? devPayTo.inference,
    },
  }
}

/**
 * A chain named by its RPC URL, where money is real.
 * @throws ConfigError when a wallet is absent or its key is public, or when the RPC does not show USDC on Base.
 */
export async function realChainSetting(config: Config, rpcUrl: string): Promise<ChainSetting> {
  const faults = [...findWalletFaults(config), ...(await findChainFaults(rpcUrl))]
  const [social, utility, inference] = SERVICES.map((name) => config[PAY_TO_SETTING[name]])
  if (faults.length > 0 || !social || !utility || !inference) throw new ConfigError(faults)
  return {
    isDev: false,
    access: { rpcUrl, chainId: BASE.chainId, asset: BASE.usdc, finalTag: 'finalized' },
    ...(config.TOLLBOOK_FACILITATOR_KEY && {
      facilitatorKey: config.TOLLBOOK_FACILITATOR_KEY as `0x${string}`,
    }),
    payTo: { social, utility, inference },
  }
}

function findWalletFaults(config: Config): string[] {
  const publicKeys: readonly string[] = [
    ...DEV_CLIENT_KEYS,
    devFacilitatorKey,
    ...Object.values(devPayToKeys),
  ]
  const publicWallets = new Set(
    publicKeys.map((key) => privateKeyToAddress(key as `0x${string}`).toLowerCase()),
  )
  const faults: string[] = []
  const key = config.TOLLBOOK_FACILITATOR_KEY
  if (!key && !config.TOLLBOOK_FACILITATOR_URL) {
    faults.push('TOLLBOOK_FACILITATOR_KEY: set it, or TOLLBOOK_FACILITATOR_URL, when a chain RPC URL is set')
  }
  if (key && publicWallets.has(privateKeyToAddress(key as `0x${string}`).toLowerCase())) {
    faults.push('TOLLBOOK_FACILITATOR_KEY: this key is public; anyone can empty its wallet')
  }
  for (const name of Object.values(PAY_TO_SETTING)) {
    const payTo = config[name]
    if (!payTo) faults.push(`${name}: set it when a chain RPC URL is set`)
    else if (publicWallets.has(payTo)) faults.push(`${name}: the key of this wallet is public`)
  }
  return faults
}

async function findChainFaults(rpcUrl: string): Promise<string[]> {
  const setting = 'TOLLBOOK_CHAIN_RPC_URL'
  try {
    const chainId = Number(await askRpc(rpcUrl, 'eth_chainId', []))
    if (chainId !== BASE.chainId) return [`${setting}: chain ${chainId} answers, not Base (${BASE.chainId})`]
    const code = await askRpc(rpcUrl, 'eth_getCode', [BASE.usdc, 'latest'])
    return typeof code === 'string' && code.length > 2 ? [] : [`${setting}: no USDC contract is there`]
  } catch {
    return [`${setting}: no answer, or none of a JSON-RPC server`]
  }
}

async function askRpc(url: string, method: string, params: readonly unknown[]): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    signal: AbortSignal.timeout(10_000),
  })
  const { result } = (await response.json()) as { result?: unknown }
  return result
}
