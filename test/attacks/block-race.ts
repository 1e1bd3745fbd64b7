import { setTimeout as wait } from 'node:timers/promises'
import { DEV_CLIENT_ADDRESSES, devFacilitatorAddress } from '@tollbook/chain/dev-accounts'
import { BASE } from '@tollbook/chain/network'
import { devUsdcAbi } from '@tollbook/devchain/contracts/abis'
import type { DevChain } from '@tollbook/devchain/dev-chain'
import { base } from '@tollbook/testing/chain/base-chain'
import { createWalletClient, encodeFunctionData, type Hex, http, numberToHex, parseGwei } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'

/** Higher than the tip of any settlement, so that this transaction comes first in the block. */
const TIP = parseGwei('50')

/**
 * Holds transactions back until `inFront` has sent its own, which come first in the block. The chain must
 * mine only on demand (`hasOwnBlocks`).
 * @param isReady whether all settlements wait for their block; default: one does.
 */
export async function raceInBlock<Result>(
  chain: DevChain,
  serve: () => Promise<Result>,
  inFront: () => Promise<unknown>,
  isReady = async () => (await countPending(chain)) > 0,
): Promise<Result> {
  await chain.rpc.call('evm_setAutomine', [false])
  try {
    let isAnswered = false
    const serving = serve().finally(() => {
      isAnswered = true
    })
    while (!isAnswered && !(await isReady())) await wait(5)
    if (!isAnswered) {
      await inFront()
      await chain.mine()
    }
    // Transactions sent later get blocks of their own.
    while (!isAnswered) {
      await wait(5)
      await chain.mine()
    }
    return await serving
  } finally {
    await chain.rpc.call('evm_setAutomine', [true])
  }
}

/** Sends a wallet's whole balance away, at the front of the next block; does not wait for it. */
export async function drainInFront(chain: DevChain, key: Hex, amount: bigint): Promise<void> {
  const wallet = createWalletClient({
    account: privateKeyToAccount(key),
    chain: base,
    transport: http(chain.rpcUrl),
  })
  await wallet.sendTransaction({
    to: BASE.usdc,
    data: encodeFunctionData({
      abi: devUsdcAbi,
      functionName: 'transfer',
      args: [DEV_CLIENT_ADDRESSES[8], amount],
    }),
    gas: 100_000n,
    maxPriorityFeePerGas: TIP,
    maxFeePerGas: 2n * TIP,
  })
}

/** Gas of the facilitator's transactions that were mined during the run. */
export async function gasBurnt(chain: DevChain, work: () => Promise<unknown>): Promise<bigint> {
  const head = async () => Number(await chain.rpc.call<Hex>('eth_blockNumber'))
  const before = await head()
  await work()
  let gas = 0n
  for (let block = (await head()) - before; block > 0; block -= 1) {
    const receipts = await chain.rpc.call<readonly Receipt[]>('eth_getBlockReceipts', [
      numberToHex(before + block),
    ])
    for (const { from, gasUsed } of receipts)
      if (from.toLowerCase() === devFacilitatorAddress.toLowerCase()) gas += BigInt(gasUsed)
  }
  return gas
}

type Receipt = { readonly from: Hex; readonly gasUsed: Hex }

/** Pending transactions. */
export async function countPending(chain: DevChain): Promise<number> {
  const { pending } = await chain.rpc.call<{ readonly pending: Hex }>('txpool_status')
  return Number(pending)
}
