import { formatEther, isAddress } from 'viem/utils'
import type { ServiceName } from '../../catalogue/service.ts'
import { createReadRpc } from '../../chain/rpc/read-rpc.ts'
import type { Config } from '../../config.ts'
import { type ChainSetting, findChain, walletOfKey } from '../setup/chain.ts'
import type { Finding } from './finding.ts'

const NAME = 'facilitator'

/** @param sold the services for sale here; without any, neither wallets nor gas are needed. */
export async function checkFacilitator(
  config: Config,
  sold: readonly ServiceName[],
): Promise<readonly Finding[]> {
  if (sold.length === 0) return []
  const chain = await findChain(config, sold)
  const wallets = sold.map((name): Finding => {
    return { verdict: 'ok', name, text: `paid to ${chain.payTo[name]}` }
  })
  const url = config.TOLLBOOK_FACILITATOR_URL
  const signer = config.TOLLBOOK_SIGNER_URL
  return [
    ...(url ? [await checkRemote(url)] : await checkWallet(chain)),
    ...(signer ? [await checkSigner(config, signer)] : []),
    ...wallets,
  ]
}

async function checkRemote(url: string): Promise<Finding> {
  const { host } = new URL(url)
  try {
    const response = await fetch(`${url}/supported`, { signal: AbortSignal.timeout(10_000) })
    await response.body?.cancel()
    const verdict = response.ok ? 'ok' : 'failed'
    return { verdict, name: NAME, text: `${host} answers /supported with status ${response.status}` }
  } catch {
    return { verdict: 'failed', name: NAME, text: `${host} does not answer` }
  }
}

/** Whether the signer has the keys of all wallets that are given by address. */
async function checkSigner(config: Config, url: string): Promise<Finding> {
  const name = 'signer'
  const keys = [config.TOLLBOOK_FACILITATOR_KEY ?? '', ...config.TOLLBOOK_FACILITATOR_MORE_KEYS]
  const wallets = keys.filter((key) => isAddress(key))
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
