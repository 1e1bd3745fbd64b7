import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openSettlementStage, type SettlementStage } from '@tollbook/testing/payments/settlement-stage'
import { startFacilitator, type TestFacilitator } from '../facilitator/facilitator-stage.ts'
import { gasBurnt } from './block-race.ts'
import { openAttacker } from './channel-attacker.ts'
import { hostileCode } from './hostile-code.ts'

const DEPOSIT = 100_000n
/** Worth the gas of a claim. */
const WORTH = 50_000n
/** Less than a claim takes. */
const NO_CLAIM = 50_000n

let stage: SettlementStage
let facilitator: TestFacilitator
before(async () => {
  stage = await openSettlementStage()
  // The node suggests a tip of 1 gwei: 100,000 gas cost a cent.
  facilitator = await startFacilitator(stage, null, { settings: { TOLLBOOK_ETH_USD: '100' } })
})
after(async () => {
  await facilitator?.close()
  await stage?.close()
})

test('claims that earn less than their gas are not sent', async () => {
  const attacker = openAttacker(stage, facilitator)
  const channels = await attacker.deposit(3, DEPOSIT)
  const claimAll = (total: bigint) => attacker.claim(channels.map((channel) => ({ channel, total })))
  const [channel] = channels
  assert.ok(channel)
  const gas = await gasBurnt(stage.chain, async () => {
    assert.equal(await claimAll(1n), 'claim_below_gas')
    const repeated = Array.from({ length: 50 }, () => ({ channel, total: 1_000n }))
    assert.equal(await attacker.claim(repeated), 'claim_below_gas')
  })
  assert.ok(gas < NO_CLAIM, `${gas} gas`)
  assert.equal(await claimAll(WORTH), 'settled')
  // What was claimed before earns nothing more.
  const again = await gasBurnt(stage.chain, async () =>
    assert.equal(await claimAll(WORTH + 1n), 'claim_below_gas'),
  )
  assert.ok(again < NO_CLAIM, `${again} gas`)
})

test('claims of the same money at once burn the gas of one', async () => {
  const attacker = openAttacker(stage, facilitator)
  const [one, other] = (await attacker.deposit(2, DEPOSIT)).map((channel) => ({ channel, total: WORTH }))
  assert.ok(one && other)
  const answers = await Promise.all([attacker.claim([one, other]), attacker.claim([other, one])])
  assert.deepEqual(answers.sort(), ['claim_below_gas', 'settled'])
})

test('an authorizer whose code consents only in simulations burns nothing', async () => {
  for (const rounds of [3_000, 100_000]) {
    const attacker = openAttacker(stage, facilitator)
    const channels = await attacker.deposit(1, DEPOSIT)
    await stage.chain.rpc.call('anvil_setCode', [attacker.authorizer, hostileCode(rounds)])
    const totals = channels.map((channel) => ({ channel, total: WORTH }))
    const gas = await gasBurnt(stage.chain, async () =>
      assert.match(String(await attacker.claim(totals)), /authorizer_has_code/),
    )
    assert.ok(gas < NO_CLAIM, `${gas} gas`)
  }
})
