import assert from 'node:assert/strict'
import { publishSample } from '@tollbook/testing/report/publish-sample'
import { sampleFigures } from '@tollbook/testing/report/sample-figures'
import { sampleService } from '@tollbook/testing/report/sample-service'
import { onEveryState } from '@tollbook/testing/state/every-state'
import { listFacilitators } from '../chain/facilitator-file.ts'

const [ONE, TWO, UNNAMED] = ['1', '2', '3'].map((digit) => `0x${digit.repeat(40)}` as const)
const sums = { tx: 1, amount: 10_000, real_tx: 1, real_amount: 10_000 }

onEveryState('facilitators have the names of the list in force', async (state) => {
  const [bundled] = listFacilitators()
  assert(ONE && TWO && UNNAMED && bundled)
  const wallets = [TWO, ONE, UNNAMED, bundled.address]
  const facilitators = wallets.map((address) => ({ address, ...sums }))
  await publishSample(state, sampleFigures({ field: { buyers: 1, real_buyers: 1, facilitators, daily: [] } }))
  // The operator's list names two wallets alike, has one without a name, and lacks the bundled one.
  const { app } = sampleService(state, {
    facilitators: [
      { facilitator: 'Added', address: ONE },
      { facilitator: 'Added', address: TWO },
      { facilitator: 'unknown', address: UNNAMED },
    ],
  })
  const { newest } = JSON.parse(await (await app.request('/overview.json')).text())
  assert.deepEqual(
    newest.facilitators.map(({ name, addresses, tx }: (typeof newest.facilitators)[number]) => [
      name,
      addresses,
      tx,
    ]),
    [['Added', [ONE, TWO], 2], ...[UNNAMED, bundled.address].sort().map((own) => [own, [own], 1])],
  )
})
