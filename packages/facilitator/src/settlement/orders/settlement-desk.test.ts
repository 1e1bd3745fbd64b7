import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openChain } from '@tollbook/gate/reading/chain'
import { createCodeCache } from '@tollbook/gate/reading/code-cache'
import { exactTerms, payTerms } from '@tollbook/testing/payments/offered-payment'
import { NEVER, openSettlementStage } from '@tollbook/testing/payments/settlement-stage'
import { createSettlementDesk } from './settlement-desk.ts'

test('a batch whose wallets cannot be opened is answered, and ends no process', async (t) => {
  const stage = await openSettlementStage()
  t.after(() => stage.close())
  const codes = createCodeCache(openChain(stage.access))
  const desk = createSettlementDesk({ batchSize: 2, lanes: 1, codes }, () =>
    Promise.reject(new Error('the lease of the wallet is taken')),
  )
  const payment = await payTerms(await stage.newPayer(), exactTerms('2237'))
  const order = { payment, amount: payment.signedAmount, key: 'one-call', beforeSend: async () => {} }
  for (const isCovered of [true, false]) {
    assert.deepEqual(await desk.settle({ ...order, isCovered }, NEVER), {
      outcome: 'unknown',
      transaction: null,
      reason: 'chain_unreachable',
    })
  }
  await desk.drain()
})
