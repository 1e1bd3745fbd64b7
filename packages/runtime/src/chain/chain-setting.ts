import { toChecksumAddress } from '@tollbook/chain/checksum-address'
import { DEV_CLIENT_KEYS, devFacilitatorKey, devPayToKey, devPayToKeys } from '@tollbook/chain/dev-accounts'
import type { Address } from '@tollbook/chain/hex'
import { createKeySigner } from '@tollbook/chain/key-signer'
import type { Network } from '@tollbook/chain/network'
import { createReadRpc } from '@tollbook/chain/rpc/read-rpc'
import { ConfigError } from '@tollbook/flow/config-error'
import type { ChainAccess } from '@tollbook/gate/reading/chain-access'
import type { Config } from '../config.ts'
import { serviceSetting } from '../settings/service-settings.ts'

/** Of the local chain: a wallet that is set for a real network receives nothing of value there. */
export function playMoney({ title }: Network): string {
  return `play money, not ${title}`
}

/** Of a test network. */
export const TEST_MONEY = 'a test network: its money is worthless'

export type ReadChainSetting = {
  /** Whether it is the local chain that is bundled with Tollbook. */
  readonly isDev: boolean
  /** All JSON-RPC URLs for reading the chain; never empty. */
  readonly rpcUrls: readonly string[]
  /** Access for settling payments: the first of the URLs. */
  readonly access: ChainAccess
}

export type ChainSetting = ReadChainSetting & {
  /** Key of the in-process facilitator; absent if a facilitator URL is set. */
  readonly facilitatorKey?: `0x${string}`
  /** Wallets of the services for sale here, by name. */
  readonly payTo: Readonly<Record<string, Address>>
}

/** The local chain, with its own public wallets as defaults of all absent settings. @param sold what is sold here */
export function devChainSetting(config: Config, rpcUrl: string, sold: readonly string[] = []): ChainSetting {
  return {
    ...devChain(config, rpcUrl),
    ...(!config.TOLLBOOK_FACILITATOR_URL && {
      facilitatorKey: (config.TOLLBOOK_FACILITATOR_KEY as `0x${string}` | undefined) ?? devFacilitatorKey,
    }),
    payTo: payeesOf(config, [...new Set([...sold, ...config.services.keys()])], true),
  }
}

/** The payee wallets of all services that have one; on the local chain each has, also one without settings. */
export function payToOf(config: Config): ChainSetting['payTo'] {
  return payeesOf(config, [...config.services.keys()], !config.TOLLBOOK_CHAIN_RPC_URL)
}

function payeesOf(config: Config, services: readonly string[], isDev: boolean): ChainSetting['payTo'] {
  const wallets = services.flatMap((name): readonly (readonly [string, Address])[] => {
    const wallet =
      config.services.get(name)?.payTo ??
      (isDev ? toChecksumAddress(createKeySigner(devPayToKey(name)).address) : undefined)
    return wallet === undefined ? [] : [[name, wallet]]
  })
  return Object.fromEntries(wallets)
}

/**
 * A chain with real money. @param sold the services that need a payee wallet.
 * @param found other issues of the settings, which are reported together
 * @throws ConfigError if a wallet is absent or its key is public, or if an RPC is not of the network, or lacks its USDC.
 */
export async function realChainSetting(
  config: Config,
  rpcUrls: readonly string[],
  sold: readonly string[],
  found: readonly string[] = [],
): Promise<ChainSetting> {
  refuseIssues([...found, ...findWalletIssues(config, sold), ...(await findChainIssues(config, rpcUrls))])
  return {
    ...realChain(config, rpcUrls),
    ...(config.TOLLBOOK_FACILITATOR_KEY && {
      facilitatorKey: config.TOLLBOOK_FACILITATOR_KEY as `0x${string}`,
    }),
    payTo: payeesOf(config, sold, false),
  }
}

/**
 * The configured chain, else the local one of another process on this machine.
 * @throws ConfigError as `realChainSetting`, and if no local chain answers.
 */
export async function findChain(
  config: Config,
  sold: readonly string[],
  found: readonly string[] = [],
): Promise<ChainSetting> {
  const rpcUrls = config.TOLLBOOK_CHAIN_RPC_URL
  if (rpcUrls) return realChainSetting(config, rpcUrls, sold, found)
  refuseIssues([...found, ...findUnusedKey(config, sold)])
  return devChainSetting(config, await findDevChain(config), sold)
}

/** As `findChain`, for a process that only reads: it needs neither wallets nor keys. */
export async function findReadChain(
  config: Config,
  found: readonly string[] = [],
): Promise<ReadChainSetting> {
  const rpcUrls = config.TOLLBOOK_CHAIN_RPC_URL
  refuseIssues([...found, ...(rpcUrls ? await findChainIssues(config, rpcUrls) : [])])
  return rpcUrls ? realChain(config, rpcUrls) : devChain(config, await findDevChain(config))
}

/** The chain for a person, without the path of its URL, which may be a key. */
export function nameChain({ isDev, access }: ReadChainSetting): string {
  const { origin } = new URL(access.rpcUrl)
  const { network } = access
  if (isDev) return `${origin}  ${playMoney(network)}`
  return network.isTest ? `${origin}  ${network.title}, ${TEST_MONEY}` : `${origin}  ${network.title}`
}

/** @throws ConfigError with all of them */
export function refuseIssues(issues: readonly string[]): void {
  if (issues.length > 0) throw new ConfigError(issues)
}

/** Whether a chain answers where the local chain of another process on this machine would. */
export async function isDevChainUp(config: Config): Promise<boolean> {
  return (await readDevChainId(config)) !== null
}

const devChainUrl = (config: Config) => `http://127.0.0.1:${config.TOLLBOOK_DEVCHAIN_PORT}`

/** Null if nothing answers. */
async function readDevChainId(config: Config): Promise<unknown> {
  return askOnce(devChainUrl(config), 'eth_chainId', []).catch(() => null)
}

async function findDevChain(config: Config): Promise<string> {
  const rpcUrl = devChainUrl(config)
  const { chainId, title } = config.TOLLBOOK_NETWORK
  const found = await readDevChainId(config)
  if (found === null)
    throw new ConfigError([
      `TOLLBOOK_CHAIN_RPC_URL: absent, and no local chain answers at ${rpcUrl}; tollbook start runs one, and so does tollbook serve if @tollbook/devchain is installed and no payments are set up`,
    ])
  if (Number(found) !== chainId)
    throw new ConfigError([
      `TOLLBOOK_NETWORK: the local chain at ${rpcUrl} has chain id ${Number(found)}, ${title} has ${chainId}`,
    ])
  return rpcUrl
}

function devChain({ TOLLBOOK_NETWORK: network }: Config, rpcUrl: string): ReadChainSetting {
  return { isDev: true, rpcUrls: [rpcUrl], access: { rpcUrl, network, finalTag: 'latest' } }
}

function realChain({ TOLLBOOK_NETWORK: network }: Config, rpcUrls: readonly string[]): ReadChainSetting {
  const [rpcUrl = ''] = rpcUrls
  return { isDev: false, rpcUrls, access: { rpcUrl, network, finalTag: network.finalTag } }
}

/** The wallet of a key; an address stands for a key that the signer holds. */
export function walletOfKey(key: `0x${string}`): Address {
  return key.length === 42 ? (key.toLowerCase() as Address) : createKeySigner(key).address
}

/** Services settle by one facilitator: a key next to a URL would look used, and its wallet would never pay. */
export function findUnusedKey(config: Config, sold: readonly string[]): string[] {
  if (sold.length === 0 || !config.TOLLBOOK_FACILITATOR_KEY || !config.TOLLBOOK_FACILITATOR_URL) return []
  return [
    'TOLLBOOK_FACILITATOR_KEY: set together with TOLLBOOK_FACILITATOR_URL, whose facilitator would settle and leave this key unused; remove one of them',
  ]
}

function findWalletIssues(config: Config, sold: readonly string[]): string[] {
  const publicKeys: readonly string[] = [
    ...DEV_CLIENT_KEYS,
    devFacilitatorKey,
    ...Object.values(devPayToKeys),
    ...[...sold, ...config.services.keys()].map(devPayToKey),
  ]
  const publicWallets = new Set(publicKeys.map((key) => createKeySigner(key as `0x${string}`).address))
  const issues = findUnusedKey(config, sold)
  const key = config.TOLLBOOK_FACILITATOR_KEY
  const keys = [...(key ? [key] : []), ...config.TOLLBOOK_FACILITATOR_MORE_KEYS]
  if (!config.TOLLBOOK_SIGNER_URL && keys.some((each) => each.length === 42))
    issues.push('TOLLBOOK_SIGNER_URL: required if the key of a wallet is given as its address')
  const isPublic = (each: string) => publicWallets.has(walletOfKey(each as `0x${string}`))
  if (!key && !config.TOLLBOOK_FACILITATOR_URL) {
    issues.push('TOLLBOOK_FACILITATOR_KEY: required, or TOLLBOOK_FACILITATOR_URL, if a chain RPC URL is set')
  }
  if (key && isPublic(key))
    issues.push('TOLLBOOK_FACILITATOR_KEY: this key is public; anyone can empty its wallet')
  if (config.TOLLBOOK_FACILITATOR_MORE_KEYS.some(isPublic))
    issues.push('TOLLBOOK_FACILITATOR_MORE_KEYS: one of these keys is public; anyone can empty its wallet')
  if (config.TOLLBOOK_OFFER_KEY && isPublic(config.TOLLBOOK_OFFER_KEY))
    issues.push('TOLLBOOK_OFFER_KEY: this key is public; anyone can sign with it')
  for (const name of sold) {
    const setting = serviceSetting(name, 'PAY_TO')
    const payTo = config.services.get(name)?.payTo
    if (!payTo) issues.push(`${setting}: required if a chain RPC URL is set`)
    else if (publicWallets.has(payTo)) issues.push(`${setting}: the key of this wallet is public`)
    else if (payTo === config.TOLLBOOK_NETWORK.usdc.toLowerCase())
      issues.push(
        `${setting}: is the USDC contract: payments there are lost; set the address of your own wallet`,
      )
  }
  return issues
}

/** The first URL must answer, since payments settle through it; none may serve another chain. */
async function findChainIssues(config: Config, rpcUrls: readonly string[]): Promise<string[]> {
  const issues = await Promise.all(
    rpcUrls.map(async (url, at) => {
      const { issue, isAway } = await findChainIssue(url, config.TOLLBOOK_NETWORK)
      if (issue === null || (isAway && at > 0)) return []
      const place = rpcUrls.length > 1 ? ` (URL ${at + 1} of ${rpcUrls.length})` : ''
      return [`TOLLBOOK_CHAIN_RPC_URL: ${issue}${place}`]
    }),
  )
  if (config.TOLLBOOK_CHAIN_CROSS_CHECK === 'on' && rpcUrls.length < 2)
    issues.push(['TOLLBOOK_CHAIN_CROSS_CHECK: requires two URLs in TOLLBOOK_CHAIN_RPC_URL'])
  return issues.flat()
}

/** What is wrong with a node; `isAway`: perhaps only for now. */
async function findChainIssue(
  url: string,
  network: Network,
): Promise<{ readonly issue: string | null; readonly isAway: boolean }> {
  try {
    const chainId = Number(await askOnce(url, 'eth_chainId', []))
    if (chainId !== network.chainId)
      return {
        issue: `wrong chain: ${chainId} (expected ${network.title}, ${network.chainId})`,
        isAway: false,
      }
    const code = await askOnce(url, 'eth_getCode', [network.usdc, 'latest'])
    const hasUsdc = typeof code === 'string' && code.length > 2
    return { issue: hasUsdc ? null : 'the USDC contract does not exist there', isAway: false }
  } catch (error) {
    // No error of the client contains the URL.
    return { issue: error instanceof Error ? error.message : String(error), isAway: true }
  }
}

function askOnce(url: string, method: string, params: readonly unknown[]): Promise<unknown> {
  const { signal } = new AbortController()
  return createReadRpc({ url, timeoutMs: 10_000, attempts: 1 }).call(method, params, signal)
}
