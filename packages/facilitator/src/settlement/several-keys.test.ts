import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { devFacilitatorAddress, devFacilitatorKey } from '@tollbook/chain/dev-accounts'
import { exactTerms, payTerms, uptoTerms } from '@tollbook/testing/payments/offered-payment'
import {
  NEVER,
  openSettlementStage,
  type SettlementStage,
  settleWhole,
} from '@tollbook/testing/payments/settlement-stage'
import { pino } from 'pino'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { createInProcessFacilitator } from './in-process-facilitator.ts'
import type { MinedSettlement } from './options.ts'

const second = generatePrivateKey()
const secondAddress = privateKeyToAddress(second)
let stage: SettlementStage
before(async () => {
  stage = await openSettlementStage()
})
after(() => stage.close())

const senderOf = async (transaction: string | null) => {
  const sent = (await stage.chain.rpc.call('eth_getTransactionByHash', [transaction])) as { from: string }
  return sent.from
}

test('a wallet without gas settles nothing while another has some; each mined transaction is reported', async () => {
  const mined: MinedSettlement[] = []
  const facilitator = await stage.openFacilitator({
    key: second,
    moreKeys: [devFacilitatorKey],
    onMined: (each) => mined.push(each),
  })
  const { isHealthy, gasLeft } = await facilitator.health()
  assert.equal(isHealthy, true)
  assert.deepEqual(
    gasLeft?.map(({ settlements }) => settlements > 0n),
    [false, true],
  )
  const payment = await payTerms(await stage.newPayer(), exactTerms('2000'))
  const { settlement } = await settleWhole(facilitator, payment)
  assert.equal(settlement.outcome, 'settled')
  assert.equal(
    await senderOf((settlement as { transaction: string }).transaction),
    devFacilitatorAddress.toLowerCase(),
  )
  assert.deepEqual(
    mined.map(({ payments, hasReverted }) => ({ payments, hasReverted })),
    [{ payments: [payment], hasReverted: false }],
  )
  assert.ok((mined[0]?.gasUsed ?? 0n) > 21_000n)
})

test('payments settle in transactions of both wallets at once; upto settles with the wallet that it names', async () => {
  await stage.chain.fundGas(secondAddress)
  const facilitator = await createInProcessFacilitator({
    chain: stage.access,
    key: devFacilitatorKey,
    moreKeys: [second],
    state: stage.state,
    logger: pino({ level: 'silent' }),
    batchSize: 1,
  })
  try {
    const payers = await Promise.all(Array.from({ length: 6 }, () => stage.newPayer()))
    const payments = await Promise.all(payers.map((key) => payTerms(key, exactTerms('2000'))))
    const settled = await Promise.all(payments.map((payment) => settleWhole(facilitator, payment)))
    const transactions = settled.map(({ settlement }) =>
      settlement.outcome === 'settled' ? settlement.transaction : settlement.reason,
    )
    assert.equal(new Set(transactions).size, 6)
    const senders = new Set(await Promise.all(transactions.map(senderOf)))
    assert.deepEqual(senders, new Set([devFacilitatorAddress.toLowerCase(), secondAddress.toLowerCase()]))

    const metered = await payTerms(
      await stage.newPayer(),
      uptoTerms('3000', secondAddress),
      stage.chain.rpcUrl,
    )
    assert.deepEqual(await facilitator.verify(metered, NEVER), { isValid: true })
    const { settlement } = await settleWhole(facilitator, metered, 1500n)
    assert.equal(settlement.outcome, 'settled')
    assert.equal(
      await senderOf((settlement as { transaction: string }).transaction),
      secondAddress.toLowerCase(),
    )
  } finally {
    await facilitator.close()
  }
})
