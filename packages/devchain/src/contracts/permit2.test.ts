import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { CONTRACTS } from '@tollbook/chain/contracts'
import { DEV_CLIENT_KEYS, devFacilitatorKey, devPayTo } from '@tollbook/chain/dev-accounts'
import { BASE } from '@tollbook/chain/network'
import { base } from '@tollbook/testing/chain/base-chain'
import { devPermit2Abi } from '@tollbook/testing/chain/dev-abis'
import { createWalletClient, type Hex, http, maxUint256, publicActions } from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { type DevChain, startDevChain } from '../dev-chain.ts'
import { devExactProxyAbi, devUptoProxyAbi, devUsdcAbi } from './abis.ts'
import { type PermitTransfer, toPermitTransferTypedData } from './typed-data.ts'

const merchant = devPayTo.inference
const payer = privateKeyToAccount(DEV_CLIENT_KEYS[0])
const facilitator = privateKeyToAccount(devFacilitatorKey)
const UPTO = { address: CONTRACTS.uptoPermit2Proxy, abi: devUptoProxyAbi } as const
const EXACT = { address: CONTRACTS.exactPermit2Proxy, abi: devExactProxyAbi } as const

let chain: DevChain
const walletOf = (account: PrivateKeyAccount) =>
  createWalletClient({
    account,
    chain: base,
    transport: http(chain.rpcUrl),
    pollingInterval: 20,
  }).extend(publicActions)
let wallet: ReturnType<typeof walletOf>
before(async () => {
  chain = await startDevChain({ port: 0 })
  wallet = walletOf(facilitator)
  const payerWallet = walletOf(payer)
  await send(
    payerWallet.writeContract({
      address: BASE.usdc,
      abi: devUsdcAbi,
      functionName: 'approve',
      args: [CONTRACTS.permit2, maxUint256],
    }),
  )
})
after(() => chain.close())

async function send(sent: Promise<Hex>) {
  const receipt = await wallet.waitForTransactionReceipt({ hash: await sent })
  assert.equal(receipt.status, 'success')
  return receipt
}
const balanceOf = (account: Hex) =>
  wallet.readContract({ address: BASE.usdc, abi: devUsdcAbi, functionName: 'balanceOf', args: [account] })

let lastNonce = 0n
function toTransfer(given: Partial<PermitTransfer> = {}): PermitTransfer {
  lastNonce += 1n
  const deadline = BigInt(Math.floor(Date.now() / 1000) + 60)
  return {
    amount: 10_000n,
    nonce: lastNonce,
    deadline,
    to: merchant,
    facilitator: facilitator.address,
    validAfter: 0n,
    ...given,
  }
}
const toPermit = ({ amount, nonce, deadline }: PermitTransfer) => ({
  permitted: { token: BASE.usdc, amount },
  nonce,
  deadline,
})

async function toUptoCall(transfer: PermitTransfer, amount: bigint) {
  const signature = await payer.signTypedData(toPermitTransferTypedData(transfer))
  const { to, validAfter } = transfer
  const witness = { to, facilitator: transfer.facilitator ?? facilitator.address, validAfter }
  return {
    ...UPTO,
    functionName: 'settle',
    args: [toPermit(transfer), amount, payer.address, witness, signature],
  } as const
}

async function toExactCall(transfer: PermitTransfer) {
  const signature = await payer.signTypedData(toPermitTransferTypedData(transfer))
  const witness = { to: transfer.to, validAfter: transfer.validAfter }
  return {
    ...EXACT,
    functionName: 'settle',
    args: [toPermit(transfer), payer.address, witness, signature],
  } as const
}

test('upto settles less than the signed maximum, once', async () => {
  const earned = await balanceOf(merchant)
  const call = await toUptoCall(toTransfer(), 2237n)
  const receipt = await send(wallet.writeContract(call))
  assert.equal(await balanceOf(merchant), earned + 2237n)
  assert.deepEqual(
    receipt.logs.map((log) => log.topics[0]),
    [
      '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef', // Transfer
      '0x97088ec3606cfe8cc112180570d03fcde05f9b8e1bfef8e27784eaf5dd5691b6', // Settled
    ],
  )
  await assert.rejects(wallet.simulateContract(call), /InvalidNonce/)
})

test('upto settles the maximum, but not more and not zero', async () => {
  await send(wallet.writeContract(await toUptoCall(toTransfer({ amount: 500n }), 500n)))
  await assert.rejects(
    wallet.simulateContract(await toUptoCall(toTransfer({ amount: 500n }), 501n)),
    /AmountExceedsPermitted/,
  )
  await assert.rejects(wallet.simulateContract(await toUptoCall(toTransfer(), 0n)), /InvalidAmount/)
})

test('only the facilitator in the witness can settle', async () => {
  const call = await toUptoCall(toTransfer(), 100n)
  const stranger = walletOf(privateKeyToAccount(DEV_CLIENT_KEYS[1]))
  await assert.rejects(stranger.simulateContract(call), /UnauthorizedFacilitator/)
})

test('a changed payee, an expired deadline and a future start are rejected', async () => {
  const transfer = toTransfer()
  const call = await toUptoCall(transfer, 100n)
  const [permit, amount, owner, witness, signature] = call.args
  await assert.rejects(
    wallet.simulateContract({
      ...call,
      args: [permit, amount, owner, { ...witness, to: devPayTo.social }, signature],
    }),
    /InvalidSigner/,
  )
  const now = BigInt(Math.floor(Date.now() / 1000))
  await assert.rejects(
    wallet.simulateContract(await toUptoCall(toTransfer({ deadline: now - 5n }), 100n)),
    /SignatureExpired/,
  )
  await assert.rejects(
    wallet.simulateContract(await toUptoCall(toTransfer({ validAfter: now + 50n }), 100n)),
    /PaymentTooEarly/,
  )
})

test('an owner invalidates unused nonces', async () => {
  const transfer = toTransfer({ nonce: 256n + 9n }) // bit 9 of word 1
  const payerWallet = walletOf(payer)
  await send(
    payerWallet.writeContract({
      address: CONTRACTS.permit2,
      abi: devPermit2Abi,
      functionName: 'invalidateUnorderedNonces',
      args: [1n, 1n << 9n],
    }),
  )
  await assert.rejects(wallet.simulateContract(await toUptoCall(transfer, 100n)), /InvalidNonce/)
})

test('the exact proxy settles the signed amount, submitted by anyone, once', async () => {
  const earned = await balanceOf(merchant)
  const call = await toExactCall(toTransfer({ amount: 1234n, facilitator: null }))
  const stranger = walletOf(privateKeyToAccount(DEV_CLIENT_KEYS[1]))
  await send(stranger.writeContract(call))
  assert.equal(await balanceOf(merchant), earned + 1234n)
  await assert.rejects(wallet.simulateContract(call), /InvalidNonce/)
})
