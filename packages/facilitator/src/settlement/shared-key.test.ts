import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import { devKey } from '@tollbook/chain/dev-accounts'
import type { Hex } from '@tollbook/chain/hex'
import { exactTerms, payTerms, uptoTerms } from '@tollbook/testing/payments/offered-payment'
import {
  openSettlementStage,
  type SettlementStage,
  settleWhole,
} from '@tollbook/testing/payments/settlement-stage'
import { onEveryStateUrl } from '@tollbook/testing/state/every-state'
import { openStateAt } from '@tollbook/testing/state/open-state-at'
import { pino } from 'pino'
import { createInProcessFacilitator } from './in-process-facilitator.ts'

const terms = exactTerms('2237')
let stage: SettlementStage
before(async () => {
  stage = await openSettlementStage()
})
after(() => stage.close())

onEveryStateUrl('facilitators that share a key never use the same nonce', async (url, t) => {
  const key = devKey(t.name)
  const states = [await openStateAt(url), await openStateAt(url)]
  const facilitators = await Promise.all(
    states.map((state) =>
      createInProcessFacilitator({
        chain: stage.access,
        key,
        state,
        logger: pino({ level: 'silent' }),
        // Every payment in a transaction of its own, so that nonces are taken often.
        batchSize: 1,
      }),
    ),
  )
  const address = facilitators[0]?.address ?? '0x'
  await stage.chain.fundGas(address)
  const payers = await Promise.all(Array.from({ length: 16 }, () => stage.newPayer()))
  const work = payers.map(async (payer, at) => {
    const facilitator = facilitators[at % 2]
    assert.ok(facilitator)
    for (let round = 0; round < 3; round++) {
      const payment = await payTerms(payer, terms)
      const { settlement } = await settleWhole(facilitator, payment)
      assert.equal(settlement.outcome, 'settled')
    }
    const metered = await payTerms(payer, uptoTerms('9000', address), stage.chain.rpcUrl)
    assert.equal((await settleWhole(facilitator, metered, 1000n)).settlement.outcome, 'settled')
  })
  await Promise.all(work)
  // 16 payers, 3 exact and 1 upto payment each, one transaction for each and no other.
  const count = await stage.chain.rpc.call<Hex>('eth_getTransactionCount', [address, 'latest'])
  assert.equal(Number(count), 64)
  for (const facilitator of facilitators) await facilitator.close()
  for (const state of states) await state.close()
})
