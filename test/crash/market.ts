import { rmSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { CONTRACTS } from '@tollbook/chain/contracts'
import { devKey, devPayTo } from '@tollbook/chain/dev-accounts'
import { BASE } from '@tollbook/chain/network'
import { devUsdcAbi } from '@tollbook/devchain/contracts/abis'
import type { Random } from '@tollbook/devchain/demo-week/random'
import { type DevChain, startDevChain } from '@tollbook/devchain/dev-chain'
import { mintUsdc } from '@tollbook/devchain/genesis'
import { type Fate, type RpcProxy, startRpcProxy } from '@tollbook/testing/payments/rpc-proxy'
import type { Payer } from '@tollbook/testing/payments/sign-payment'
import { makeRunFolder } from '@tollbook/testing/run-folder'
import { encodeFunctionData, maxUint256, numberToHex } from 'viem'
import { createNativePayer } from './native-payer.ts'

/** What outlives every seller: a chain, the connection to it, and wallets that pay. */
export type Market = {
  readonly chain: DevChain
  /** The sellers reach the chain through this. */
  readonly proxy: RpcProxy
  readonly payers: readonly Payer[]
  readonly payTo: `0x${string}`
  /** Folder in which the processes of one run store their compiled modules for the next. */
  readonly compileCache: string
  close(): Promise<void>
}

/** A thousand dollars: more than a wallet can spend in any run. */
const HOLDING = 1_000_000_000n
const GAS_WEI = 10n ** 18n

/** Starts a chain with wallets that hold USDC and have approved Permit2. */
export async function openMarket(wallets: number): Promise<Market> {
  const chain = await startDevChain({ port: 0 })
  const proxy = await startRpcProxy(chain.rpcUrl)
  const payers = Array.from({ length: wallets }, (_, at) => createNativePayer(devKey(`crash payer ${at}`)))
  await mintUsdc(
    chain.rpc,
    payers.map(({ address }) => ({ to: address, amount: HOLDING })),
  )
  const data = encodeFunctionData({
    abi: devUsdcAbi,
    functionName: 'approve',
    args: [CONTRACTS.permit2, maxUint256],
  })
  for (const { address } of payers) {
    await chain.rpc.batch([
      { method: 'anvil_setBalance', params: [address, numberToHex(GAS_WEI)] },
      { method: 'anvil_impersonateAccount', params: [address] },
      { method: 'eth_sendTransactionSync', params: [{ from: address, to: BASE.usdc, data }] },
    ])
  }
  const ownCache = process.env.NODE_COMPILE_CACHE ? null : makeRunFolder('crash-cache')
  return {
    chain,
    proxy,
    payers,
    payTo: devPayTo.utility,
    compileCache: process.env.NODE_COMPILE_CACHE ?? ownCache ?? '',
    async close() {
      if (ownCache) rmSync(ownCache, { recursive: true, force: true })
      await proxy.close()
      await chain.close()
    },
  }
}

/** USDC of the seller, and of all payers together, in micro-USDC. */
export async function readBalances({ chain, payers, payTo }: Market) {
  const wallets = [payTo, ...payers.map(({ address }) => address)]
  const reads = wallets.map((wallet) => {
    const data = encodeFunctionData({ abi: devUsdcAbi, functionName: 'balanceOf', args: [wallet] })
    return { method: 'eth_call', params: [{ to: BASE.usdc, data }, 'latest'] }
  })
  const [seller = 0n, ...others] = (await chain.rpc.batch(reads)).map((word) => BigInt(String(word)))
  return { seller, payers: others.reduce((sum, one) => sum + one, 0n) }
}

/** Each request to the chain takes from 1 ms to this many. */
const MAX_LATENCY_MS = 15

/**
 * Makes the connection to the chain as slow as a network, so that calls spend time in each of their states.
 * @param onSending called with every transaction in transit; decides whether it arrives.
 */
export function slowDown(proxy: RpcProxy, random: Random, onSending: () => Fate): void {
  proxy.setFate(async (methods) => {
    await wait(1 + random() * MAX_LATENCY_MS)
    return methods.includes('eth_sendRawTransaction') ? onSending() : 'forward'
  })
}
