import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { CONTRACTS } from '@tollbook/chain/contracts'
import { DEV_CLIENT_KEYS, devFacilitatorKey, devPayTo } from '@tollbook/chain/dev-accounts'
import { BASE } from '@tollbook/chain/network'
import { toTransferTypedData } from '@tollbook/testing/chain/authorization-typed-data'
import { base } from '@tollbook/testing/chain/base-chain'
import { createWalletClient, encodeFunctionData, http, parseEventLogs, publicActions, toHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { type DevChain, startDevChain } from '../dev-chain.ts'
import { devMulticall3Abi, devUsdcAbi } from './abis.ts'

const MULTICALL = { address: CONTRACTS.multicall3, abi: devMulticall3Abi } as const

let chain: DevChain
const toWallet = () =>
  createWalletClient({
    account: privateKeyToAccount(devFacilitatorKey),
    chain: base,
    transport: http(chain.rpcUrl),
    pollingInterval: 20,
  }).extend(publicActions)
let wallet: ReturnType<typeof toWallet>
before(async () => {
  chain = await startDevChain({ port: 0 })
  wallet = toWallet()
})
after(() => chain.close())

/** Five payments of 1,000 micro-USDC; the third exceeds its payer's balance. */
async function toCalls() {
  const payers = DEV_CLIENT_KEYS.slice(0, 5).map((key) => privateKeyToAccount(key))
  return Promise.all(
    payers.map(async (payer, index) => {
      const authorization = {
        from: payer.address,
        to: devPayTo.utility,
        value: index === 2 ? 10n ** 12n : 1000n,
        validAfter: 0n,
        validBefore: BigInt(Math.floor(Date.now() / 1000) + 60),
        nonce: toHex(index, { size: 32 }),
      }
      const signature = await payer.signTypedData(toTransferTypedData(authorization))
      const { from, to, value, validAfter, validBefore, nonce } = authorization
      const callData = encodeFunctionData({
        abi: devUsdcAbi,
        functionName: 'transferWithAuthorization',
        args: [from, to, value, validAfter, validBefore, nonce, signature],
      })
      return { target: BASE.usdc, allowFailure: true, callData }
    }),
  )
}

test('a batch settles all but the failing payment, which leaves no logs', async () => {
  const calls = await toCalls()
  const strict = calls.map((call) => ({ ...call, allowFailure: false }))
  await assert.rejects(
    wallet.simulateContract({ ...MULTICALL, functionName: 'aggregate3', args: [strict] }),
    /Multicall3: call failed/,
  )
  const { result, request } = await wallet.simulateContract({
    ...MULTICALL,
    functionName: 'aggregate3',
    args: [calls],
  })
  assert.deepEqual(
    result.map(({ success }) => success),
    [true, true, false, true, true],
  )
  const receipt = await wallet.waitForTransactionReceipt({ hash: await wallet.writeContract(request) })
  const names = parseEventLogs({ abi: devUsdcAbi, logs: receipt.logs }).map((log) => log.eventName)
  assert.deepEqual(names, new Array(4).fill(['AuthorizationUsed', 'Transfer']).flat())
})

test('tryAggregate and the block and chain getters work', async () => {
  const calls = (['getChainId', 'getBlockNumber'] as const).map((functionName) => ({
    target: CONTRACTS.multicall3,
    callData: encodeFunctionData({ abi: devMulticall3Abi, functionName }),
  }))
  const { result } = await wallet.simulateContract({
    ...MULTICALL,
    functionName: 'tryAggregate',
    args: [true, calls],
  })
  assert.equal(BigInt(result[0]?.returnData ?? 0), 8453n)
  assert.ok(BigInt(result[1]?.returnData ?? 0) > 0n)
  const address = privateKeyToAccount(DEV_CLIENT_KEYS[7]).address
  assert.equal(
    await wallet.readContract({ ...MULTICALL, functionName: 'getEthBalance', args: [address] }),
    await wallet.getBalance({ address }),
  )
})
