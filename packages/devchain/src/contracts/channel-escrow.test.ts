import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { CONTRACTS } from '@tollbook/chain/contracts'
import { DEV_CLIENT_KEYS, devFacilitatorKey } from '@tollbook/chain/dev-accounts'
import { BASE } from '@tollbook/chain/network'
import { base } from '@tollbook/testing/chain/base-chain'
import { devChannelEscrowAbi } from '@tollbook/testing/chain/dev-abis'
import { readSdkChannels } from '@tollbook/testing/paying/sdk-channels'
import { type Channel, useChannels } from '@tollbook/testing/report/payment-channels'
import { computeChannelId } from '@x402/evm/batch-settlement/client'
import {
  createWalletClient,
  type Hex,
  hashTypedData,
  http,
  parseEventLogs,
  publicActions,
  type TransactionReceipt,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { type DevChain, startDevChain } from '../dev-chain.ts'
import { devUsdcAbi } from './abis.ts'

const ESCROW = { address: CONTRACTS.channelEscrow, abi: devChannelEscrowAbi } as const
const SHOP = `0x${'5a'.repeat(20)}` as const
/** Named by the channels as authorizer of their receiver. */
const authorizer = privateKeyToAccount(devFacilitatorKey)
const stranger = privateKeyToAccount(DEV_CLIENT_KEYS[9])

let chain: DevChain
let channels: ReturnType<typeof useChannels>
const walletOf = (account: typeof stranger) =>
  createWalletClient({
    account,
    chain: base,
    transport: http(chain.rpcUrl),
    pollingInterval: 20,
  }).extend(publicActions)
let wallet: ReturnType<typeof walletOf>

before(async () => {
  chain = await startDevChain({ port: 0 })
  channels = useChannels(chain)
  wallet = walletOf(authorizer)
})
after(() => chain.close())

type Call = { readonly functionName: string; readonly args: readonly unknown[] }

/** Sends a call to the escrow, or throws the reason of its revert. */
async function send(call: Call, from = authorizer): Promise<void> {
  // viem cannot type a call whose function is a variable.
  const { request } = await wallet.simulateContract({ ...ESCROW, ...call, account: from } as never)
  const hash = await walletOf(from).writeContract(request as never)
  sent = await wallet.waitForTransactionReceipt({ hash })
  assert.equal(sent.status, 'success')
}
/** The receipt of the newest call. */
let sent: TransactionReceipt
const read = (functionName: string, args: readonly unknown[]) =>
  wallet.readContract({ ...ESCROW, functionName, args } as never) as Promise<unknown>
const usdcOf = (account: Hex) =>
  wallet.readContract({ address: BASE.usdc, abi: devUsdcAbi, functionName: 'balanceOf', args: [account] })
const open = (payer: number) => {
  const key = DEV_CLIENT_KEYS[payer]
  assert.ok(key)
  return channels.openChannel({ key, receiver: SHOP, deposit: 50_000n })
}
const claimOf = async (channel: Channel, total: bigint) => {
  const { signature } = await channel.voucher(total)
  return {
    voucher: { channel: channel.config, maxClaimableAmount: total },
    signature,
    totalClaimed: total,
  }
}

test('ids and digests of vouchers, refunds and batches are those that the SDK signs', async () => {
  const { id, config } = await open(0)
  const { typesOf } = await readSdkChannels()
  const domain = {
    name: 'x402 Batch Settlement',
    version: '1',
    chainId: BASE.chainId,
    verifyingContract: CONTRACTS.channelEscrow,
  }
  const hash = (types: string, primaryType: string, message: Record<string, unknown>) =>
    hashTypedData({ domain, types: typesOf(types), primaryType, message })
  const entry = { channelId: id, maxClaimableAmount: 9n, totalClaimed: 7n }
  const claim = { voucher: { channel: config, maxClaimableAmount: 9n }, signature: '0x', totalClaimed: 7n }
  assert.equal(await read('getChannelId', [config]), computeChannelId(config, BASE.id))
  assert.equal(await read('getVoucherDigest', [id, 9n]), hash('voucherTypes', 'Voucher', entry))
  const refund = { channelId: id, nonce: 3n, amount: 5n }
  assert.equal(await read('getRefundDigest', [id, 3n, 5n]), hash('refundTypes', 'Refund', refund))
  assert.equal(
    await read('getClaimBatchDigest', [[claim, claim]]),
    hash('claimBatchTypes', 'ClaimBatch', { claims: [entry, entry] }),
  )
})

test('a claim needs the receiver, its voucher and the balance; a repeated one changes nothing', async () => {
  const channel = await open(1)
  const claim = await claimOf(channel, 20_000n)
  const claiming = (changed: object) => ({ functionName: 'claim', args: [[{ ...claim, ...changed }]] })
  await assert.rejects(send(claiming({}), stranger), /caller must be the receiver/)
  await assert.rejects(send(claiming({ totalClaimed: 20_001n })), /above the voucher/)
  const raised = { channel: channel.config, maxClaimableAmount: 30_000n }
  await assert.rejects(send(claiming({ voucher: raised })), /invalid voucher signature/)
  await assert.rejects(
    send({ functionName: 'claim', args: [[await claimOf(channel, 50_001n)]] }),
    /above the balance/,
  )
  await send(claiming({}))
  await send(claiming({}))
  await send({ functionName: 'claim', args: [[await claimOf(channel, 10_000n)]] })
  assert.deepEqual(await read('channels', [channel.id]), [50_000n, 20_000n])
  assert.deepEqual(await read('receivers', [SHOP, BASE.usdc]), [20_000n, 0n])
})

test('a settlement pays out what was claimed, once', async () => {
  const before = await usdcOf(SHOP)
  const settling = { functionName: 'settle', args: [SHOP, BASE.usdc] }
  await send(settling, stranger)
  assert.equal((await usdcOf(SHOP)) - before, 20_000n)
  await send(settling, stranger)
  assert.deepEqual(eventsNow(), [], 'nothing was left')
})

test('a signed refund works once, and returns at most what is not claimed', async () => {
  const channel = await open(2)
  await send({ functionName: 'claim', args: [[await claimOf(channel, 15_000n)]] })
  const before = await usdcOf(channel.payer)
  const digest = (await read('getRefundDigest', [channel.id, 0n, 60_000n])) as Hex
  const signature = await authorizer.sign({ hash: digest })
  const refund = {
    functionName: 'refundWithSignature',
    args: [channel.config, 60_000n, 0n, signature],
  }
  await send(refund, stranger)
  assert.equal((await usdcOf(channel.payer)) - before, 35_000n)
  await assert.rejects(send(refund, stranger), /invalid refund nonce/)
  await assert.rejects(
    send({ functionName: 'refund', args: [channel.config, 1n] }, stranger),
    /caller must be the receiver/,
  )
})

test('a refund reduces the pending withdrawal, and its nonce advances even if nothing is left', async () => {
  const channel = await open(4)
  const payer = privateKeyToAccount(DEV_CLIENT_KEYS[4])
  const refund = (amount: bigint) => send({ functionName: 'refund', args: [channel.config, amount] })
  const initiate = (amount: bigint) =>
    send({ functionName: 'initiateWithdraw', args: [channel.config, amount] }, payer)
  await assert.rejects(initiate(50_001n), /above what is not claimed/)
  await initiate(40_000n)
  await refund(15_000n)
  const [pending] = (await read('pendingWithdrawals', [channel.id])) as readonly [bigint, number]
  assert.equal(pending, 25_000n)
  await refund(35_000n)
  assert.deepEqual(eventsNow(), ['Refunded', 'ChannelClosed'])
  assert.deepEqual(await read('pendingWithdrawals', [channel.id]), [0n, 0])
  await refund(1n)
  assert.deepEqual(eventsNow(), [])
  assert.equal(await read('refundNonce', [channel.id]), 3n)
})

test('a withdrawal waits for its delay, and claims in between go first', async () => {
  const channel = await open(3)
  const payer = privateKeyToAccount(DEV_CLIENT_KEYS[3])
  const before = await usdcOf(channel.payer)
  const initiate = { functionName: 'initiateWithdraw', args: [channel.config, 50_000n] }
  const finalize = { functionName: 'finalizeWithdraw', args: [channel.config] }
  await assert.rejects(send(initiate, stranger), /caller must be the payer/)
  await send(initiate, payer)
  await assert.rejects(send(finalize, payer), /withdrawal is delayed/)
  await send({ functionName: 'claim', args: [[await claimOf(channel, 12_000n)]] })
  await chain.rpc.call('evm_increaseTime', [900])
  await chain.rpc.call('evm_mine', [])
  await send(finalize, payer)
  assert.equal((await usdcOf(channel.payer)) - before, 38_000n)
  await assert.rejects(send(finalize, payer), /not initiated/)
})

/** Names of the escrow's events in the newest call. */
const eventsNow = (): readonly string[] =>
  parseEventLogs({ abi: devChannelEscrowAbi, logs: sent.logs }).map(({ eventName }) => eventName)
