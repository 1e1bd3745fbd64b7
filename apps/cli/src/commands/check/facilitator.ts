import { formatEther } from '@tollbook/chain/ether'
import { createReadRpc } from '@tollbook/chain/rpc/read-rpc'
import { type ChainSetting, findChain, PLAY_MONEY, walletOfKey } from '@tollbook/runtime/chain/chain-setting'
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
  const remote = url ? await checkRemote(url) : null
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
    { verdict: 'ok', name, text: `paid to ${wallet}${isDev ? ` in ${PLAY_MONEY}` : ''}` },
    ...notes.map((text): Finding => ({ verdict: 'note', name, text })),
  ]
}

/** Of https://github.com/coinbase/x402, `GET /supported`: the wallets by network. */
const supported = z.object({ signers: z.record(z.string(), z.array(z.string())).default({}) })

async function checkRemote(
  url: string,
): Promise<{ readonly finding: Finding; readonly signers: readonly string[] }> {
  const { host } = new URL(url)
  try {
    const response = await fetch(`${url}/supported`, { signal: AbortSignal.timeout(10_000) })
    const read = supported.safeParse(await response.json().catch(() => null))
    const signers = read.success ? Object.values(read.data.signers).flat() : []
    const verdict = response.ok ? 'ok' : 'failed'
    const text = `${host} answers /supported with status ${response.status}`
    return { finding: { verdict, name: NAME, text }, signers: signers.map((one) => one.toLowerCase()) }
  } catch {
    return { finding: { verdict: 'failed', name: NAME, text: `${host} does not answer` }, signers: [] }
  }
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
      ? { verdict: 'failed', name: NAME, text: `${text}; send it ETH on Base` }
      : { verdict: 'ok', name: NAME, text }
  if ((await read('eth_getCode')) === '0x') return [gas]
  const hasCode = `wallet ${address} has code (EIP-7702): payment channels are neither claimed nor refunded; use a wallet without code`
  return [gas, { verdict: 'failed', name: NAME, text: hasCode }]
}
