import { formatEther } from '@tollbook/chain/ether'
import type { Network } from '@tollbook/chain/network'
import { createReadRpc } from '@tollbook/chain/rpc/read-rpc'
import { type ChainSetting, findChain, playMoney, walletOfKey } from '@tollbook/runtime/chain/chain-setting'
import type { Finding } from '@tollbook/runtime/check/finding'
import type { Config } from '@tollbook/runtime/config'
import * as z from 'zod'

const NAME = 'facilitator'
const ADDRESS = /^0x[0-9a-f]{40}$/i

/** @param sold the services for sale here; without any, neither wallets nor gas are needed. */
export async function checkFacilitator(config: Config, sold: readonly string[]): Promise<readonly Finding[]> {
  if (sold.length === 0) return []
  const chain = await findChain(config, sold)
  const url = config.TOLLBOOK_FACILITATOR_URL
  const signer = config.TOLLBOOK_SIGNER_URL
  const remote = url ? await checkRemote(url, chain.access.network) : null
  const own = [...(chain.facilitatorKey ? [chain.facilitatorKey] : []), ...moreKeysOf(config)].map(
    walletOfKey,
  )
  const settling = remote ? remote.signers : own
  const payees = await Promise.all(sold.map((name) => checkPayee(chain, name, settling)))
  return [
    ...(remote ? [remote.finding] : await checkWallet(chain)),
    ...(signer ? [await checkSigner(config, signer)] : []),
    ...payees.flat(),
  ]
}

function moreKeysOf(config: Config): readonly `0x${string}`[] {
  return config.TOLLBOOK_FACILITATOR_MORE_KEYS as readonly `0x${string}`[]
}

/** The payee of a service, with what its owner may not know of it. */
async function checkPayee(
  { access, payTo, isDev }: ChainSetting,
  name: string,
  settling: readonly string[],
): Promise<readonly Finding[]> {
  const wallet = payTo[name] ?? ''
  const rpc = createReadRpc({ url: access.rpcUrl, attempts: 2 })
  const code = await rpc.call('eth_getCode', [wallet, 'latest'], AbortSignal.timeout(30_000))
  const notes = [
    ...(code === '0x' ? [] : [`${wallet} is a contract; make sure that it can send USDC out again`]),
    ...(settling.includes(wallet.toLowerCase())
      ? [`${wallet} also settles the payments: its key, which pays for gas, then guards the revenue as well`]
      : []),
  ]
  return [
    { verdict: 'ok', name, text: `paid to ${wallet}${isDev ? ` in ${playMoney(access.network)}` : ''}` },
    ...notes.map((text): Finding => ({ verdict: 'note', name, text })),
  ]
}

/** Of https://github.com/coinbase/x402, `GET /supported`: the wallets by network. */
const supported = z.object({
  kinds: z.array(z.looseObject({ scheme: z.string(), network: z.string() })),
  signers: z.record(z.string(), z.array(z.string())).default({}),
})

type Supported = {
  readonly isOk: boolean
  readonly status: number
  /** In lower case. */
  readonly signers: readonly string[]
  /** The schemes that it settles on a network. */
  schemesOn(network: Network): readonly string[]
}

/** What a facilitator supports; null if it does not answer. */
export async function readSupported(url: string): Promise<Supported | null> {
  const response = await fetch(`${url}/supported`, { signal: AbortSignal.timeout(10_000) }).catch(() => null)
  if (response === null) return null
  const read = supported.safeParse(await response.json().catch(() => null))
  const { kinds = [], signers = {} } = read.data ?? {}
  return {
    isOk: response.ok,
    status: response.status,
    signers: Object.values(signers).flatMap((own) => own.map((one) => one.toLowerCase())),
    schemesOn: ({ id }) => [
      ...new Set(
        kinds.flatMap(({ network, scheme }) => (network === id || network === 'eip155:*' ? [scheme] : [])),
      ),
    ],
  }
}

async function checkRemote(
  url: string,
  network: Network,
): Promise<{ readonly finding: Finding; readonly signers: readonly string[] }> {
  const { host } = new URL(url)
  const found = await readSupported(url)
  if (found === null)
    return { finding: { verdict: 'failed', name: NAME, text: `${host} does not answer` }, signers: [] }
  const schemes = found.schemesOn(network)
  const settles = `settles ${schemes.join(', ') || 'nothing'} on ${network.title}`
  const verdict = found.isOk && schemes.includes('exact') ? 'ok' : 'failed'
  const text = `${host} answers /supported with status ${found.status}${found.isOk ? `, ${settles}` : ''}`
  return { finding: { verdict, name: NAME, text }, signers: found.signers }
}

/** Whether the signer has the keys of all wallets that are given by address. */
async function checkSigner(config: Config, url: string): Promise<Finding> {
  const name = 'signer'
  const keys = [config.TOLLBOOK_FACILITATOR_KEY ?? '', ...config.TOLLBOOK_FACILITATOR_MORE_KEYS]
  const wallets = keys.filter((key) => ADDRESS.test(key))
  try {
    const rpc = createReadRpc({ url, attempts: 2 })
    const held = new Set(
      String(await rpc.call('eth_accounts', [], AbortSignal.timeout(30_000)))
        .toLowerCase()
        .split(','),
    )
    const missing = wallets.filter((wallet) => !held.has(wallet.toLowerCase()))
    if (missing.length > 0) return { verdict: 'failed', name, text: `it has no key of ${missing.join(', ')}` }
    return {
      verdict: 'ok',
      name,
      text: `it has the keys of ${wallets.join(', ') || 'no wallet: none is given by address'}`,
    }
  } catch {
    return { verdict: 'failed', name, text: 'TOLLBOOK_SIGNER_URL does not answer eth_accounts' }
  }
}

async function checkWallet({ access, facilitatorKey }: ChainSetting): Promise<readonly Finding[]> {
  if (!facilitatorKey) return [{ verdict: 'failed', name: NAME, text: 'neither a URL nor a key is set' }]
  const address = walletOfKey(facilitatorKey)
  const rpc = createReadRpc({ url: access.rpcUrl, attempts: 2 })
  const read = (method: string) => rpc.call(method, [address, 'latest'], AbortSignal.timeout(30_000))
  const balance = BigInt(String(await read('eth_getBalance')))
  const text = `in this process, wallet ${address} holds ${formatEther(balance)} ETH for gas`
  const gas: Finding =
    balance === 0n
      ? { verdict: 'failed', name: NAME, text: `${text}; send it ETH on ${access.network.title}` }
      : { verdict: 'ok', name: NAME, text }
  if ((await read('eth_getCode')) === '0x') return [gas]
  const hasCode = `wallet ${address} has code (EIP-7702): payment channels are neither claimed nor refunded; use a wallet without code`
  return [gas, { verdict: 'failed', name: NAME, text: hasCode }]
}
