import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openSettlementStage, type SettlementStage } from '@tollbook/testing/payments/settlement-stage'
import { startFacilitator, type TestFacilitator } from '../facilitator/facilitator-stage.ts'
import { gasBurnt } from './block-race.ts'
import { openAttacker } from './channel-attacker.ts'

const DEPOSIT = 400_000n
/** A dime: worth the gas of a refund, and of a claim with it. */
const WORTH = 100_000n
/** Less than any refund takes. */
const NO_REFUND = 30_000n

let stage: SettlementStage
/** Two processes on one store. */
let one: TestFacilitator
let other: TestFacilitator
before(async () => {
  stage = await openSettlementStage()
  // The node suggests a tip of 1 gwei: 100,000 gas cost a cent.
  const settings = { TOLLBOOK_ETH_USD: '100' }
  one = await startFacilitator(stage, null, { settings })
  other = await startFacilitator(stage, null, { settings })
})
after(async () => {
  await one?.close()
  await other?.close()
  await stage?.close()
})

test('refunds that return less than justifies their gas are not sent', async (t) => {
  const attacker = openAttacker(stage, one)
  const [channel] = await attacker.deposit(1, DEPOSIT)
  assert.ok(channel)
  const refund = async (amount: bigint, nonce: number, total = 0n) =>
    attacker.settle(await attacker.signRefund({ channel, amount, nonce }, total))
  const dust = await gasBurnt(stage.chain, async () => {
    for (let round = 0; round < 3; round += 1) assert.equal(await refund(1n, round), 'refund_below_gas')
    // A claim of dust justifies nothing either.
    assert.equal(await refund(1n, 0, 1n), 'refund_below_gas')
  })
  assert.ok(dust < NO_REFUND, `${dust} gas`)
  const gas = await gasBurnt(stage.chain, async () => assert.equal(await refund(WORTH, 0), 'settled'))
  t.diagnostic(`a refund burns ${gas} gas`)
  const claimed = await gasBurnt(stage.chain, async () => assert.equal(await refund(1n, 1, WORTH), 'settled'))
  t.diagnostic(`a refund with a claim burns ${claimed} gas`)
  // A micro-dollar is left: a larger amount returns no more.
  assert.equal(await refund(DEPOSIT - 2n * WORTH - 2n, 2), 'settled')
  assert.equal(await refund(DEPOSIT, 3), 'refund_below_gas')
})

test('one refund in any order of its members, at two processes, burns the gas of one', async () => {
  const attacker = openAttacker(stage, one)
  const elsewhere = { ...attacker, settle: openAttacker(stage, other).settle }
  const [channel] = await attacker.deposit(1, DEPOSIT)
  assert.ok(channel)
  const alone = await gasBurnt(stage.chain, async () =>
    assert.equal(
      await attacker.settle(await attacker.signRefund({ channel, amount: WORTH, nonce: 0 })),
      'settled',
    ),
  )
  const members = Object.entries(await attacker.signRefund({ channel, amount: WORTH, nonce: 1 }))
  const bodies = members.map((_, at) => Object.fromEntries([...members.slice(at), ...members.slice(0, at)]))
  const sent = await gasBurnt(stage.chain, async () => {
    const answers = await Promise.all(bodies.map((body, at) => (at % 2 ? attacker : elsewhere).settle(body)))
    assert.deepEqual(new Set(answers), new Set(['settled']))
  })
  assert.ok(sent < (alone * 3n) / 2n, `${sent} gas, one refund takes ${alone}`)
})
