import { CONTRACTS } from '@tollbook/chain/contracts'
import { devKey } from '@tollbook/chain/dev-accounts'
import { BASE } from '@tollbook/chain/network'
import { devUsdcAbi } from '@tollbook/devchain/contracts/abis'
import { base } from '@tollbook/testing/chain/base-chain'
import { createPublicClient, type Hex, http, numberToHex, type RpcLog } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { CHANNEL_PRICE, openChannelShop } from '../facilitator/channel-shop.ts'
import type { Market } from './market.ts'
import { createPatientClient, type Replicas, type Settled } from './patient-seller.ts'

const CALLS_PER_CHANNEL = 3

export type ChannelSales = {
  readonly operations: number
  readonly violations: readonly string[]
}

/**
 * A stock server sells to a stock client from channels, one after the other, through facilitators that are killed:
 * each is opened, claimed, paid out and refunded. Each operation is one transaction, and the books balance.
 */
export async function sellFromChannels(
  { chain, payers }: Market,
  { at, payTo, until }: { readonly at: Replicas; readonly payTo: Hex; readonly until: AbortSignal },
): Promise<ChannelSales> {
  const key = devKey(`crash payer ${payers.length - 1}`)
  const payer = privateKeyToAddress(key)
  const reader = createPublicClient({ chain: base, transport: http(chain.rpcUrl) })
  const balanceOf = (wallet: Hex) =>
    reader.readContract({ address: BASE.usdc, abi: devUsdcAbi, functionName: 'balanceOf', args: [wallet] })
  const settled: { readonly kind: unknown; readonly answer: Settled }[] = []
  const facilitator = createPatientClient(at, ({ type }, answer) => settled.push({ kind: type, answer }))
  const { manager, openClient } = openChannelShop(facilitator, payTo)

  const violations: string[] = []
  const firstBlock = await reader.getBlockNumber()
  const before = { payTo: await balanceOf(payTo), payer: await balanceOf(payer) }
  let calls = 0
  while (!until.aborted) {
    const client = openClient(key, chain.rpcUrl, numberToHex(calls + 1, { size: 32 }))
    for (let call = 0; call < CALLS_PER_CHANNEL; call += 1) {
      const response = await client.buy()
      if (response.status === 200) calls += 1
      else violations.push(`a voucher was refused: ${response.status} ${await response.text()}`)
    }
    await manager.claim()
    // If its first answer was lost, the second says that nothing is left to pay out.
    await manager.settle().catch((error: unknown) => {
      if (!/nothing_to_settle/.test(String(error))) throw error
    })
    await client.refund()
  }
  const owed = BigInt(calls) * CHANNEL_PRICE
  const after = { payTo: await balanceOf(payTo), payer: await balanceOf(payer) }
  if (after.payTo - before.payTo !== owed || before.payer - after.payer !== owed)
    violations.push(`${calls} calls from channels: balances moved from ${text(before)} to ${text(after)}`)
  const logs = await chain.rpc.call<RpcLog[]>('eth_getLogs', [
    { address: CONTRACTS.channelEscrow, fromBlock: numberToHex(firstBlock + 1n), toBlock: 'latest' },
  ])
  const sent = new Set(logs.map(({ transactionHash }) => transactionHash))
  if (sent.size !== settled.length)
    violations.push(`${settled.length} operations of channels in ${sent.size} transactions`)
  for (const { kind, answer } of settled) {
    const isPaidOut = kind === 'settle' && /nothing_to_settle/.test(answer.errorReason ?? '')
    if (!isPaidOut && !(answer.success && sent.delete(answer.transaction as Hex)))
      violations.push(`${kind}: answered ${JSON.stringify(answer)}`)
  }
  return { operations: settled.length, violations }
}

function text(balances: { readonly payTo: bigint; readonly payer: bigint }): string {
  return `${balances.payTo} and ${balances.payer}`
}
