import { DEV_CLIENT_KEYS } from '@tollbook/chain/dev-accounts'
import type { Network } from '@tollbook/chain/network'
import { createReadRpc } from '@tollbook/chain/rpc/read-rpc'
import { privateKeyToAccount } from 'viem/accounts'

/**
 * The first account of the dev chain as a wallet with which pages of the services pay: it answers the methods of
 * EIP-1193 that they use, and undefined for others and for data that cannot be signed. Its key is public, so anyone
 * may let it sign.
 */
export function createDemoAccount(
  rpcUrl: string,
  { chainId, usdc }: Pick<Network, 'chainId' | 'usdc'>,
): (method: string, params: readonly unknown[]) => Promise<unknown> {
  const account = privateKeyToAccount(DEV_CLIENT_KEYS[0])
  const rpc = createReadRpc({ url: rpcUrl })
  return async (method, params) => {
    if (method === 'eth_requestAccounts') return [account.address]
    if (method === 'eth_chainId') return `0x${chainId.toString(16)}`
    if (method === 'eth_call') {
      // Nothing but USDC is read, so that nobody lets the node work.
      const data = String((params[0] as { readonly data?: unknown } | undefined)?.data)
      return rpc.call('eth_call', [{ to: usdc, data }, 'latest']).catch(() => undefined)
    }
    if (method !== 'eth_signTypedData_v4') return undefined
    try {
      return await account.signTypedData(JSON.parse(String(params[1])))
    } catch {
      return undefined
    }
  }
}
