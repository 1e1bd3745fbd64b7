import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { CONTRACTS } from '@tollbook/chain/contracts'
import {
  DEV_CLIENT_KEYS,
  devFacilitatorAddress,
  devFacilitatorKey,
  devPayTo,
} from '@tollbook/chain/dev-accounts'
import { BASE } from '@tollbook/chain/network'
import { base } from '@tollbook/testing/chain/base-chain'
import { x402Client } from '@x402/core/client'
import type { x402Facilitator } from '@x402/core/facilitator'
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types'
import { toClientEvmSigner } from '@x402/evm'
import { ExactEvmScheme as ExactClient } from '@x402/evm/exact/client'
import { UptoEvmScheme as UptoClient } from '@x402/evm/upto/client'
import { EIP2612_GAS_SPONSORING } from '@x402/extensions'
import { createPublicClient, createWalletClient, type Hex, http, maxUint256 } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { devUsdcAbi } from './contracts/abis.ts'
import { type DevChain, startDevChain } from './dev-chain.ts'
import { SettlingWallet } from './facilitator/settling-wallet.ts'
import { createStockFacilitator } from './facilitator/stock-facilitator.ts'

let chain: DevChain
let facilitator: x402Facilitator
before(async () => {
  chain = await startDevChain()
  facilitator = createStockFacilitator(
    new SettlingWallet({ rpcUrl: chain.rpcUrl, key: devFacilitatorKey }).signer(),
  )
})
after(() => chain.close())

const toReader = () => createPublicClient({ chain: base, transport: http(chain.rpcUrl) })

function toClient(key: Hex) {
  const signer = toClientEvmSigner(privateKeyToAccount(key), toReader())
  return new x402Client().register(BASE.id, new ExactClient(signer)).register(BASE.id, new UptoClient(signer))
}

function toRequirements(scheme: 'exact' | 'upto', amount: string): PaymentRequirements {
  const domain = { name: BASE.usdcName, version: BASE.usdcVersion }
  const permit2 = { assetTransferMethod: 'permit2', facilitatorAddress: devFacilitatorAddress }
  return {
    scheme,
    network: BASE.id,
    amount,
    asset: BASE.usdc,
    payTo: devPayTo.utility,
    maxTimeoutSeconds: 60,
    extra: scheme === 'upto' ? { ...domain, ...permit2 } : domain,
  }
}

async function sign(key: Hex, requirements: PaymentRequirements): Promise<PaymentPayload> {
  const sponsoring = { info: { description: 'gas is paid by the facilitator', version: '1' }, schema: {} }
  return toClient(key).createPaymentPayload({
    x402Version: 2,
    resource: { url: 'https://api.example/', description: 'a test', mimeType: 'text/plain' },
    accepts: [requirements],
    ...(requirements.scheme === 'upto' && { extensions: { [EIP2612_GAS_SPONSORING.key]: sponsoring } }),
  })
}

test('the unmodified SDK verifies and settles an exact payment, once', async () => {
  const requirements = toRequirements('exact', '2500')
  const payment = await sign(DEV_CLIENT_KEYS[0], requirements)
  const earned = await chain.usdcOf(devPayTo.utility)
  assert.deepEqual((await facilitator.verify(payment, requirements)).isValid, true)
  assert.equal((await facilitator.settle(payment, requirements)).success, true)
  assert.equal(await chain.usdcOf(devPayTo.utility), earned + 2500n)
  const replay = await facilitator.verify(payment, requirements)
  assert.equal(replay.isValid, false)
  assert.match(replay.invalidReason ?? '', /nonce_already_used/)
})

test('the unmodified SDK settles upto with an allowance, for less than the maximum', async () => {
  const payer = privateKeyToAccount(DEV_CLIENT_KEYS[1])
  const wallet = createWalletClient({ account: payer, chain: base, transport: http(chain.rpcUrl) })
  const approval = { functionName: 'approve', args: [CONTRACTS.permit2, maxUint256] } as const
  const hash = await wallet.writeContract({ address: BASE.usdc, abi: devUsdcAbi, ...approval })
  await toReader().waitForTransactionReceipt({ hash, pollingInterval: 20 })

  const offered = toRequirements('upto', '40000')
  const payment = await sign(DEV_CLIENT_KEYS[1], offered)
  const earned = await chain.usdcOf(devPayTo.utility)
  assert.equal((await facilitator.verify(payment, offered)).isValid, true)
  const settled = await facilitator.settle(payment, { ...offered, amount: '1234' })
  assert.equal(settled.success, true)
  const transaction = await toReader().getTransaction({ hash: settled.transaction as Hex })
  assert.equal(transaction.input.slice(0, 10), '0xff11e7b4') // settle
  assert.equal(await chain.usdcOf(devPayTo.utility), earned + 1234n)
})

test('the unmodified SDK settles upto by an EIP-2612 permit without an allowance', async () => {
  const offered = toRequirements('upto', '40000')
  const payment = await sign(DEV_CLIENT_KEYS[2], offered)
  const earned = await chain.usdcOf(devPayTo.utility)
  assert.equal((await facilitator.verify(payment, offered)).isValid, true)
  const settled = await facilitator.settle(payment, { ...offered, amount: '777' })
  assert.equal(settled.success, true)
  const transaction = await toReader().getTransaction({ hash: settled.transaction as Hex })
  assert.equal(transaction.input.slice(0, 10), '0x016c1748') // settleWithPermit
  assert.equal(await chain.usdcOf(devPayTo.utility), earned + 777n)
})

test('the unmodified SDK rejects upto above the maximum', async () => {
  const offered = toRequirements('upto', '500')
  const payment = await sign(DEV_CLIENT_KEYS[3], offered)
  const settled = await facilitator.settle(payment, { ...offered, amount: '501' })
  assert.equal(settled.success, false)
  assert.match(settled.errorReason ?? '', /exceeds_amount/)
})
