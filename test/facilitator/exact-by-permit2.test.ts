import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { CONTRACTS } from '@tollbook/chain/contracts'
import { DEV_CLIENT_KEYS, devFacilitatorAddress } from '@tollbook/chain/dev-accounts'
import type { OfferedPayment } from '@tollbook/gate/payment'
import { encodePermit2Settle } from '@tollbook/gate/reading/calldata'
import { devPermit2Abi } from '@tollbook/testing/chain/dev-abis'
import {
  makeByPermit2,
  payByPermit2,
  permit2Terms,
  uptoTerms,
} from '@tollbook/testing/payments/offered-payment'
import {
  openSettlementStage,
  type SettlementStage,
  toSender,
} from '@tollbook/testing/payments/settlement-stage'
import { type Call, sendCall, toBatch, toPermit2Approval } from '@tollbook/testing/report/chain-payments'
import { privateKeyToAccount } from 'viem/accounts'
import { startFacilitator, type TestFacilitator, toBody, toBodyV1 } from './facilitator-stage.ts'
import { PERMIT2_ATTACKS, signed } from './permit2-attacks.ts'

const SELLER = `0x${'5e'.repeat(20)}` as const
const USED = 'permit2_invalid_nonce'
const terms = permit2Terms('1500', { payTo: SELLER })
const now = () => Math.floor(Date.now() / 1000)
let stage: SettlementStage
let facilitator: TestFacilitator
let payer: `0x${string}`
before(async () => {
  stage = await openSettlementStage()
  facilitator = await startFacilitator(stage, null)
  payer = await stage.newPayer()
  await stage.approvePermit2(payer)
})
after(async () => {
  await facilitator.close()
  await stage.close()
})

const countTransactions = () =>
  stage.chain.rpc.call<string>('eth_getTransactionCount', [devFacilitatorAddress, 'latest']).then(Number)

/** The reason with which both endpoints refuse a request. */
async function refusalOf(body: unknown): Promise<unknown> {
  const [verified, settled] = [
    await facilitator.post('/verify', body),
    await facilitator.post('/settle', body),
  ]
  assert.deepEqual([verified.status, settled.status], [200, 200])
  assert.deepEqual(
    [verified.body.isValid, settled.body.success, settled.body.transaction],
    [false, false, ''],
  )
  assert.equal(verified.body.invalidReason, settled.body.errorReason)
  return settled.body.errorReason
}

test('exact by Permit2 is verified and settled, once', async () => {
  const payment = await payByPermit2(payer, terms)
  assert.deepEqual(await facilitator.verify(payment), {
    isValid: true,
    payer: privateKeyToAccount(payer).address.toLowerCase(),
  })
  const earned = await stage.balanceOf(SELLER)
  const settled = await facilitator.settle(payment)
  assert.deepEqual([settled.success, settled.amount, settled.network], [true, '1500', 'eip155:8453'])
  assert.equal(await stage.balanceOf(SELLER), earned + 1500n)
  const { to } = await stage.chain.rpc.call<{ to: string }>('eth_getTransactionByHash', [settled.transaction])
  assert.equal(to.toLowerCase(), CONTRACTS.exactPermit2Proxy.toLowerCase())
  assert.equal((await facilitator.settle(payment)).errorReason, USED)
  assert.equal((await facilitator.verify(payment)).invalidReason, USED)
  assert.equal(await stage.balanceOf(SELLER), earned + 1500n)
})

test('a wallet without an allowance pays with the permit that the stock client signs', async () => {
  const key = await stage.newPayer(1500n)
  assert.equal(await refusalOf(toBody(await payByPermit2(key, terms))), 'permit2_allowance_required')
  const payment = await payByPermit2(key, terms, stage.chain.rpcUrl)
  const extensions = (payment.payload as { extensions: Record<string, unknown> }).extensions
  assert.ok(extensions.eip2612GasSponsoring)
  assert.equal((await facilitator.verify(payment)).isValid, true)
  assert.equal((await facilitator.settle(payment)).amount, '1500')
  assert.equal(await stage.balanceOf(privateKeyToAccount(key).address), 0n)
})

for (const [name, reason, change] of PERMIT2_ATTACKS)
  test(`${name} is refused by both endpoints`, async () => {
    const key = name.includes('permit') ? await stage.newPayer() : payer
    const body = toBody(await payByPermit2(key, terms, stage.chain.rpcUrl))
    change(body)
    assert.equal(await refusalOf(body), reason)
  })

test('a payment outside its lifetime, of an empty wallet, or of a cancelled nonce is refused', async () => {
  const poor = await stage.newPayer(1499n)
  await stage.approvePermit2(poor)
  const shy = await stage.newPayer()
  await stage.approvePermit2(shy, 1499n)
  const cancelled = await makeByPermit2(payer, terms, { nonce: 256n + 9n }) // bit 9 of word 1
  const sender = toSender(payer, stage.chain.rpcUrl)
  const call = {
    address: CONTRACTS.permit2,
    abi: devPermit2Abi,
    functionName: 'invalidateUnorderedNonces',
  } as const
  await sender.waitForTransactionReceipt({
    hash: await sender.writeContract({ ...call, args: [1n, 1n << 9n] }),
  })
  const inSeconds = (seconds: number) => BigInt(now() + seconds)
  for (const [payment, reason] of [
    [await makeByPermit2(payer, terms, { deadline: inSeconds(5) }), 'permit2_deadline_expired'],
    [await makeByPermit2(payer, terms, { validAfter: inSeconds(30) }), 'permit2_not_yet_valid'],
    [await makeByPermit2(payer, terms, { deadline: inSeconds(3600) }), 'payment_lifetime_too_long'],
    [await makeByPermit2(poor, terms), 'permit2_insufficient_balance'],
    [await makeByPermit2(shy, terms), 'permit2_allowance_required'],
  ] as const)
    assert.equal(await refusalOf(toBody(payment)), reason)
  assert.equal((await facilitator.verify(cancelled)).invalidReason, USED)
  assert.equal((await facilitator.settle(cancelled)).success, false)
})

test('of many requests to settle one payment, one is answered, and one transaction is sent', async () => {
  const body = toBody(await payByPermit2(payer, terms))
  const count = await countTransactions()
  const other = await startFacilitator(stage, null)
  const answers = await Promise.all(
    [facilitator, other].flatMap(({ post }) => Array.from({ length: 8 }, () => post('/settle', body))),
  )
  await other.close()
  assert.equal(answers.filter(({ body: { success } }) => success === true).length, 1)
  for (const { body } of answers.filter(({ body: { success } }) => success !== true))
    assert.ok(['duplicate_settlement', USED].includes(String(body.errorReason)), String(body.errorReason))
  assert.equal((await countTransactions()) - count, 1)
})

test('a payment that others settled is a success once, unless a contract hid its nonce', async () => {
  const stranger = toSender(DEV_CLIENT_KEYS[6], stage.chain.rpcUrl)
  const [direct, hidden] = [await makeByPermit2(payer, terms), await makeByPermit2(payer, terms)]
  const callOf = (payment: OfferedPayment): Call => ({
    to: CONTRACTS.exactPermit2Proxy,
    data: encodePermit2Settle(payment, 1500n),
  })
  const send = async (call: Call) => {
    const hash = await stranger.sendTransaction(call)
    assert.equal((await stranger.waitForTransactionReceipt({ hash })).status, 'success')
    return hash
  }
  const hash = await send(callOf(direct))
  const settled = await facilitator.settle(direct)
  assert.deepEqual([settled.success, settled.transaction, settled.amount], [true, hash, '1500'])
  assert.equal((await facilitator.settle(direct)).errorReason, USED)
  await send(toBatch([callOf(hidden)]))
  assert.equal((await facilitator.settle(hidden)).errorReason, 'authorization_cancelled')
})

test('a contract wallet pays by its own rule, and only if it exists', async () => {
  const wallet = '0x00000000000000000000000000000000000a11ce'
  const { rpc } = stage.chain
  // Answers 0x1626ba7e to every isValidSignature (EIP-1271).
  await rpc.call('anvil_setCode', [wallet, '0x631626ba7e60e01b60005260206000f3'])
  await stage.chain.fundUsdc(wallet, 10_000n)
  await stage.chain.fundGas(wallet)
  await sendCall(stage.chain, wallet, toPermit2Approval())
  const wrapped = `0x${'11'.repeat(100)}${'6492'.repeat(16)}` as const
  for (const signature of [`0x${'11'.repeat(65)}`, `0x${'11'.repeat(100)}`] as const) {
    const payment = await makeByPermit2(payer, terms, { payer: wallet, signature })
    assert.equal((await facilitator.verify(payment)).isValid, true)
    assert.equal((await facilitator.settle(payment)).success, true)
  }
  assert.equal(await stage.balanceOf(wallet), 7_000n)
  await rpc.call('anvil_setCode', [wallet, '0x'])
  for (const signature of [`0x${'11'.repeat(65)}`, wrapped] as const) {
    const payment = await makeByPermit2(payer, terms, { payer: wallet, signature })
    assert.equal(await refusalOf(toBody(payment)), 'invalid_permit2_signature')
  }
})

test('a payload of upto is none of exact, nor the other way round, and version 1 has no Permit2', async () => {
  const payment = await payByPermit2(payer, terms)
  const exact = toBody(payment)
  const upto = { ...uptoTerms('1500'), payTo: SELLER }
  const bodies = [
    toBodyV1(payment),
    { ...exact, paymentRequirements: upto, paymentPayload: { ...exact.paymentPayload, accepted: upto } },
    {
      ...exact,
      paymentPayload: {
        ...exact.paymentPayload,
        payload: {
          ...signed(exact),
          permit2Authorization: {
            ...signed(exact).permit2Authorization,
            witness: { ...signed(exact).permit2Authorization.witness, facilitator: devFacilitatorAddress },
          },
        },
      },
    },
    {
      ...exact,
      paymentPayload: { ...exact.paymentPayload, payload: { ...signed(exact), authorization: {} } },
    },
  ]
  for (const body of bodies)
    for (const path of ['/verify', '/settle'] as const) {
      const answer = await facilitator.post(path, body)
      assert.equal(answer.status, 400)
      assert.equal(answer.body.invalidReason ?? answer.body.errorReason, 'invalid_payload')
    }
})

test('payments of a proven payer that its allowance does not cover together cost no reverted transaction', async () => {
  const key = await stage.newPayer()
  // Eight and two payments.
  await stage.approvePermit2(key, 15_000n)
  const settleMany = (count: number) =>
    Promise.all(
      Array.from({ length: count }, async () => facilitator.settle(await makeByPermit2(key, terms))),
    )
  assert.deepEqual(new Set((await settleMany(8)).map(({ success }) => success)), new Set([true]))
  const count = await countTransactions()
  const answers = await settleMany(6)
  const settled = answers.filter(({ success }) => success)
  assert.ok(settled.length <= 2, JSON.stringify(answers))
  for (const { success, errorReason } of answers)
    assert.equal(success ? undefined : errorReason, success ? undefined : 'permit2_allowance_required')
  assert.equal((await countTransactions()) - count, settled.length)
})
