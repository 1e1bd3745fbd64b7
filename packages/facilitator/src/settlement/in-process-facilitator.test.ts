import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { CONTRACTS } from '@tollbook/chain/contracts'
import { DEV_CLIENT_KEYS, devFacilitatorAddress, devPayTo } from '@tollbook/chain/dev-accounts'
import { BASE } from '@tollbook/chain/network'
import { devUsdcAbi } from '@tollbook/devchain/contracts/abis'
import type { RunningFacilitator } from '@tollbook/gate/facilitator'
import { encodeTransfer } from '@tollbook/gate/reading/calldata'
import { toCancelTypedData } from '@tollbook/testing/chain/authorization-typed-data'
import { exactTerms, makeExact, payTerms, uptoTerms } from '@tollbook/testing/payments/offered-payment'
import {
  NEVER,
  openSettlementStage,
  type SettlementStage,
  settleWhole,
  toSender,
} from '@tollbook/testing/payments/settlement-stage'
import { type Hex, maxUint256 } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'

const terms = exactTerms('2237')
let stage: SettlementStage
let facilitator: RunningFacilitator
before(async () => {
  stage = await openSettlementStage()
  facilitator = await stage.openFacilitator()
})
after(() => stage.close())

const addressOf = (key: Hex) => privateKeyToAccount(key).address
const countOf = (account: Hex) =>
  stage.chain.rpc.call<Hex>('eth_getTransactionCount', [account, 'latest']).then(Number)
const refusalOf = async (payment: Parameters<RunningFacilitator['verify']>[0]) => {
  const verified = await facilitator.verify(payment, NEVER)
  return verified.isValid ? null : verified.reason
}

test('an exact payment of the SDK is verified and settled, and its hash is reported before it is sent', async () => {
  const payment = await payTerms(await stage.newPayer(), terms)
  assert.deepEqual(await facilitator.verify(payment, NEVER), { isValid: true })
  const earned = await stage.balanceOf(devPayTo.utility)
  let receiptWhenTold: unknown = 'not told'
  const settlement = await facilitator.settle(
    {
      payment,
      amount: 2237n,
      isCovered: true,
      key: 'one-call',
      beforeSend: async (hash) => {
        receiptWhenTold = await stage.chain.rpc.call('eth_getTransactionReceipt', [hash])
      },
    },
    NEVER,
  )
  assert.equal(settlement.outcome, 'settled')
  assert.equal(receiptWhenTold, null)
  assert.equal(await stage.balanceOf(devPayTo.utility), earned + 2237n)
  assert.equal(await refusalOf(payment), 'invalid_exact_evm_nonce_already_used')
})

test('what the token would reject is rejected with its reason', async () => {
  const key = await stage.newPayer(2236n)
  assert.equal(await refusalOf(await payTerms(key, terms)), 'invalid_exact_evm_insufficient_balance')
  const rich = await stage.newPayer()
  const good = await makeExact(rich, terms)
  for (const change of [
    { signedAmount: 2238n },
    { payTo: '0x00000000000000000000000000000000000000aa' },
    { nonce: `0x${'07'.repeat(32)}` },
    { signature: `0x${'11'.repeat(64)}1b` },
  ] as const)
    assert.equal(
      await refusalOf({ ...good, ...change }),
      'invalid_exact_evm_signature',
      JSON.stringify(Object.keys(change)),
    )
  const now = Math.floor(Date.now() / 1000)
  const ended = await makeExact(rich, terms, { validBefore: now - 60 })
  assert.equal(await refusalOf(ended), 'invalid_exact_evm_payload_authorization_valid_before')
  const early = await makeExact(rich, terms, { validAfter: now + 600, validBefore: now + 900 })
  assert.equal(await refusalOf(early), 'invalid_exact_evm_payload_authorization_valid_after')
})

test('an amount that was not signed is rejected before any request', async () => {
  const payment = await makeExact(DEV_CLIENT_KEYS[0], terms)
  for (const amount of [0n, -1n, 2236n, 2238n]) {
    const { settlement, told } = await settleWhole(facilitator, payment, amount)
    assert.equal(settlement.outcome, 'failed')
    assert.deepEqual(told, [])
  }
})

test('a payer who emptied the wallet or cancelled after the check is not charged, and no transaction is sent', async () => {
  const sent = await countOf(devFacilitatorAddress)
  const drained = await stage.newPayer(2237n)
  const payment = await payTerms(drained, terms)
  assert.deepEqual(await facilitator.verify(payment, NEVER), { isValid: true })
  await stage.chain.fundGas(addressOf(drained))
  const sender = toSender(drained, stage.chain.rpcUrl)
  const move = { functionName: 'transfer', args: [devPayTo.social, 1n] } as const
  await sender.waitForTransactionReceipt({
    hash: await sender.writeContract({ address: BASE.usdc, abi: devUsdcAbi, ...move }),
  })
  const { settlement } = await settleWhole(facilitator, payment)
  assert.deepEqual(settlement, {
    outcome: 'failed',
    reason: 'invalid_exact_evm_insufficient_balance',
    cause: 'payer',
  })

  const canceller = await stage.newPayer()
  const cancelled = await payTerms(canceller, terms)
  await stage.chain.fundGas(addressOf(canceller))
  const account = privateKeyToAccount(canceller)
  const signature = await account.signTypedData(
    toCancelTypedData({ authorizer: account.address, nonce: cancelled.nonce }),
  )
  const cancel = {
    functionName: 'cancelAuthorization',
    args: [account.address, cancelled.nonce, signature],
  } as const
  const wallet = toSender(canceller, stage.chain.rpcUrl)
  await wallet.waitForTransactionReceipt({
    hash: await wallet.writeContract({ address: BASE.usdc, abi: devUsdcAbi, ...cancel }),
  })
  assert.deepEqual((await settleWhole(facilitator, cancelled)).settlement, {
    outcome: 'failed',
    reason: 'authorization_cancelled',
    cause: 'payer',
  })
  assert.equal(await countOf(devFacilitatorAddress), sent)
})

test('a payment that a third party submitted first counts as settled by its transaction', async () => {
  const payment = await payTerms(await stage.newPayer(), terms)
  const thirdParty = toSender(DEV_CLIENT_KEYS[5], stage.chain.rpcUrl)
  const hash = await thirdParty.sendTransaction({ to: BASE.usdc, data: encodeTransfer(payment) })
  await thirdParty.waitForTransactionReceipt({ hash })
  assert.deepEqual((await settleWhole(facilitator, payment)).settlement, {
    outcome: 'settled',
    transaction: hash,
    amount: 2237n,
  })
})

test('upto settles less than the maximum from an allowance, once', async () => {
  const key = await stage.newPayer()
  const max = uptoTerms('40000')
  const payment = await payTerms(key, max)
  assert.deepEqual(await facilitator.verify(payment, NEVER), {
    isValid: false,
    reason: 'permit2_allowance_required',
    kind: 'allowance',
  })
  await stage.chain.fundGas(addressOf(key))
  const payer = toSender(key, stage.chain.rpcUrl)
  const approve = { functionName: 'approve', args: [CONTRACTS.permit2, maxUint256] } as const
  await payer.waitForTransactionReceipt({
    hash: await payer.writeContract({ address: BASE.usdc, abi: devUsdcAbi, ...approve }),
  })
  assert.deepEqual(await facilitator.verify(payment, NEVER), { isValid: true })
  const earned = await stage.balanceOf(devPayTo.utility)
  assert.equal((await settleWhole(facilitator, payment, 40_001n)).settlement.outcome, 'failed')
  const { settlement } = await settleWhole(facilitator, payment, 1234n)
  assert.equal(settlement.outcome === 'settled' && settlement.amount, 1234n)
  assert.equal(await stage.balanceOf(devPayTo.utility), earned + 1234n)
  assert.equal(await refusalOf(payment), 'permit2_invalid_nonce')
  // A second request with another amount: the chain shows what was taken.
  const found = (await settleWhole(facilitator, payment, 99n)).settlement
  // Only our own transaction has a known cost: nothing, because the dev chain's ETH has no price.
  assert.deepEqual({ ...found, gasCost: 0n }, settlement)
})

test('upto settles with the EIP-2612 permit that the SDK signed, and only for our facilitator', async () => {
  const key = await stage.newPayer()
  const payment = await payTerms(key, uptoTerms('40000'), stage.chain.rpcUrl)
  assert.ok(payment.permit)
  assert.deepEqual(await facilitator.verify(payment, NEVER), { isValid: true })
  const { settlement } = await settleWhole(facilitator, payment, 777n)
  assert.equal(settlement.outcome === 'settled' && settlement.amount, 777n)
  const foreign = await payTerms(key, uptoTerms('40000', devPayTo.social), stage.chain.rpcUrl)
  assert.equal(await refusalOf(foreign), 'upto_facilitator_mismatch')
  const poor = await payTerms(await stage.newPayer(39_999n), uptoTerms('40000'), stage.chain.rpcUrl)
  assert.equal(await refusalOf(poor), 'permit2_insufficient_balance')
})

test('payments that arrive together share transactions, and each is paid exactly once', async () => {
  const keys = await Promise.all(Array.from({ length: 16 }, () => stage.newPayer()))
  const sent = await countOf(devFacilitatorAddress)
  const earned = await stage.balanceOf(devPayTo.utility)
  const payers = keys.map(async (key) => {
    for (let round = 0; round < 8; round++) {
      const { settlement, told } = await settleWhole(facilitator, await payTerms(key, terms))
      assert.equal(settlement.outcome, 'settled')
      assert.equal(settlement.outcome === 'settled' && settlement.transaction, told.at(-1))
    }
  })
  await Promise.all(payers)
  // 16 payers, 8 payments each, 2,237 micro-USDC a payment.
  assert.equal(await stage.balanceOf(devPayTo.utility), earned + 16n * 8n * 2237n)
  assert.ok((await countOf(devFacilitatorAddress)) - sent < 128)
})

test('one bad payment among many fails alone', async () => {
  const keys = await Promise.all(Array.from({ length: 5 }, () => stage.newPayer()))
  const payments = await Promise.all(keys.map((key) => payTerms(key, terms)))
  const poor = await payTerms(await stage.newPayer(1n), terms)
  const forged = {
    ...(await payTerms(keys[0] ?? '0x', terms)),
    signedAmount: 2237n,
    nonce: `0x${'09'.repeat(32)}`,
  } as const
  const settled = await Promise.all(
    [...payments, poor, forged].map((payment) => settleWhole(facilitator, payment)),
  )
  assert.deepEqual(
    settled.map(({ settlement }) => (settlement.outcome === 'settled' ? 'settled' : settlement.reason)),
    [
      ...payments.map(() => 'settled'),
      'invalid_exact_evm_insufficient_balance',
      'invalid_exact_evm_signature',
    ],
  )
})

test('an order whose hash cannot be stored is not sent, and the other orders are', async () => {
  const [one, other] = await Promise.all([stage.newPayer(), stage.newPayer()])
  const [lost, kept] = await Promise.all([payTerms(one, terms), payTerms(other, terms)])
  const failing = facilitator.settle(
    {
      payment: lost,
      amount: 2237n,
      isCovered: true,
      key: 'one-call',
      beforeSend: async () => {
        throw new Error('disk full')
      },
    },
    NEVER,
  )
  const [failed, { settlement }] = await Promise.all([failing, settleWhole(facilitator, kept)])
  assert.deepEqual(failed, { outcome: 'failed', reason: 'not_recorded', cause: 'operator' })
  assert.equal(settlement.outcome, 'settled')
  assert.equal(await stage.balanceOf(addressOf(one)), 1_000_000n)
})

test('an order whose lease ends before its transaction is stored is leased again, or not sent', async () => {
  const brief = await stage.openFacilitator({ leaseMs: 500 })
  const payer = await stage.newPayer()
  const order = { payment: await payTerms(payer, terms), amount: 2237n, isCovered: true, key: 'one-call' }
  let attempts = 0
  const late = await brief.settle({ ...order, beforeSend: async () => 1 }, NEVER)
  assert.deepEqual(late, { outcome: 'failed', reason: 'no_account_nonce', cause: 'operator' })
  assert.equal(await stage.balanceOf(addressOf(payer)), 1_000_000n)
  const beforeSend = async () => (attempts++ === 0 ? 1 : Date.now() + 60_000)
  const { outcome } = await brief.settle({ ...order, beforeSend }, NEVER)
  assert.deepEqual([outcome, attempts], ['settled', 2])
})

test('health reports whether the gas lasts', async () => {
  assert.equal((await facilitator.health()).isHealthy, true)
  const poor = await stage.openFacilitator({ key: `0x${'42'.repeat(32)}` })
  const health = await poor.health()
  assert.equal(health.isHealthy, false)
  assert.match(health.detail, /gas for 0 settlements/)
})

test('a wrong key or chain stops the start, and the error does not contain the key', async () => {
  const key = `0x${'00'.repeat(32)}` as const
  await assert.rejects(stage.openFacilitator({ key }), (error: Error) => !error.message.includes('0000'))
  await assert.rejects(
    stage.openFacilitator({ chain: { ...stage.access, network: { ...BASE, chainId: 84532 } } }),
    /serves chain 8453/,
  )
})
