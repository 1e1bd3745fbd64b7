import { CONTRACTS } from '@tollbook/chain/contracts'
import { BASE } from '@tollbook/chain/network'
import { type Address, encodeFunctionData, maxUint256, numberToHex, parseEther } from 'viem'
import type { RpcClient } from '../anvil/json-rpc.ts'
import { devUsdcAbi } from '../contracts/abis.ts'
import { mintUsdc } from '../genesis.ts'
import type { DemoEvent } from './demo-event.ts'
import type { DemoWallet } from './demo-wallet.ts'
import type { DemoCall } from './encode-event.ts'

const GAS_MONEY = numberToHex(parseEther('100'))
const APPROVE_GAS = 80_000n

/**
 * Funds every wallet with what it will spend, and with gas if it sends transactions itself.
 * @returns the calls by which buyers allow Permit2 to take their payments.
 */
export async function prepareWallets(
  rpc: RpcClient,
  events: readonly DemoEvent[],
): Promise<readonly DemoCall[]> {
  const spent = new Map<Address, bigint>()
  for (const { from, amount } of events) spent.set(from.address, (spent.get(from.address) ?? 0n) + amount)
  await mintUsdc(
    rpc,
    [...spent].map(([to, amount]) => ({ to, amount })),
  )
  const approvals = approvePermit2(events)
  const senders = events.map((event) => (event.kind === 'transfer' ? event.from : event.sender))
  const addresses = new Set([...senders, ...approvals.map(({ sender }) => sender)].map((it) => it.address))
  await rpc.batch(
    [...addresses].map((address) => ({ method: 'anvil_setBalance', params: [address, GAS_MONEY] })),
  )
  return approvals
}

function approvePermit2(events: readonly DemoEvent[]): readonly DemoCall[] {
  const buyers = events.flatMap((event) =>
    event.kind === 'payment' && (event.path === 'upto' || event.path === 'exact-permit2') ? [event.from] : [],
  )
  const data = encodeFunctionData({
    abi: devUsdcAbi,
    functionName: 'approve',
    args: [CONTRACTS.permit2, maxUint256],
  })
  return [...new Set<DemoWallet>(buyers)].map((sender) => ({ sender, to: BASE.usdc, data, gas: APPROVE_GAS }))
}
