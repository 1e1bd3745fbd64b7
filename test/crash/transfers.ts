import { CONTRACTS } from '@tollbook/chain/contracts'
import { BASE } from '@tollbook/chain/network'
import type { RpcClient } from '@tollbook/devchain/anvil/json-rpc'
import { devExactProxyAbi, devUptoProxyAbi, devUsdcAbi } from '@tollbook/devchain/contracts/abis'
import { decodeFunctionData, type Hex, numberToHex, parseEventLogs, type RpcLog } from 'viem'

const PROXIES = [
  { address: CONTRACTS.exactPermit2Proxy, abi: devExactProxyAbi },
  { address: CONTRACTS.uptoPermit2Proxy, abi: devUptoProxyAbi },
] as const

/** USDC that the seller received, by the authorization that moved it. */
export type Transfer = {
  readonly payer: string
  /** Nonce of the authorization, 32 bytes; null if the transfer belongs to none. */
  readonly nonce: Hex | null
  readonly amount: bigint
  readonly transaction: Hex
}

/** Reads all transfers to a wallet from a block on, using only viem and the contracts' interfaces. */
export async function readTransfers(
  rpc: RpcClient,
  payTo: Hex,
  fromBlock: number,
): Promise<readonly Transfer[]> {
  const raw = await rpc.call<RpcLog[]>('eth_getLogs', [
    { address: BASE.usdc, fromBlock: numberToHex(fromBlock), toBlock: 'latest' },
  ])
  const logs = parseEventLogs({ abi: devUsdcAbi, logs: raw })
  const transfers: Transfer[] = []
  for (const [at, log] of logs.entries()) {
    if (log.eventName !== 'Transfer' || log.args.to.toLowerCase() !== payTo.toLowerCase()) continue
    const before = logs[at - 1]
    // USDC logs the authorization directly before its transfer; Permit2 does not log it.
    const isAuthorized =
      before?.eventName === 'AuthorizationUsed' &&
      before.transactionHash === log.transactionHash &&
      before.logIndex === log.logIndex - 1
    transfers.push({
      payer: log.args.from.toLowerCase(),
      nonce: isAuthorized ? before.args.nonce : await readPermitNonce(rpc, log.transactionHash),
      amount: log.args.value,
      transaction: log.transactionHash,
    })
  }
  return transfers
}

async function readPermitNonce(rpc: RpcClient, hash: Hex): Promise<Hex | null> {
  const { to, input } = await rpc.call<{ to: Hex; input: Hex }>('eth_getTransactionByHash', [hash])
  const proxy = PROXIES.find(({ address }) => address.toLowerCase() === to.toLowerCase())
  if (!proxy) return null
  const { functionName, args } = decodeFunctionData({ abi: proxy.abi, data: input })
  const permit = functionName === 'settle' ? args[0] : functionName === 'settleWithPermit' ? args[1] : null
  return permit && numberToHex(permit.nonce, { size: 32 })
}
