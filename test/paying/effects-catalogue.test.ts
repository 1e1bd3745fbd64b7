import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Place } from '@tollbook/testing/payments/memory-chain'
import { isExploring } from '@tollbook/testing/property'
import { onEveryState, onSqliteState } from '@tollbook/testing/state/every-state'
import { changing, finish, paid, testDisconnects, titleOf, Visit } from './changing-call.ts'
import { readVisible } from './visible-rows.ts'

/** A paid write of the specification; every other method than GET is found without being listed here. */
const WRITES = [
  'DELETE /api/scratchpad/{name}',
  'DELETE /api/store/{collection}',
  'DELETE /api/store/{collection}/{id}',
  'GET /api/store/export',
  'GET /api/store/{collection}',
  'GET /api/store/{collection}/{id}',
  'PATCH /api/store/{collection}/{id}',
  'POST /api/scratchpad/{name}',
  'POST /api/store/{collection}',
  'POST /tweets/mediaUpload',
  'PUT /api/scratchpad/{name}',
  'PUT /api/store/{collection}/{id}',
]

test('every paid endpoint that changes something declares it, and every method other than GET declares its effect', () => {
  assert.deepEqual(changing.map(titleOf).toSorted(), WRITES.toSorted())
  const silent = paid.filter(({ method, effect }) => method !== 'GET' && effect === undefined)
  assert.deepEqual(silent.map(titleOf), [])
})

for (const endpoint of changing) {
  onEveryState(`${titleOf(endpoint)} changes nothing when its settlement fails`, async (state) => {
    const visit = await Visit.begin(state, endpoint)
    const { path, init } = await visit.request()
    const before = await readVisible(state)
    visit.seller.link.pause = async (place) => {
      if (place === 'settle') visit.world.chain.fund(visit.payer.address, 0n)
    }
    assert.equal(await finish(visit.seller.fetch(path, init)), 402)
    assert.equal(await readVisible(state), before)
    visit.seller.link.pause = async () => {}
    visit.world.chain.fund(visit.payer.address, 1_000_000n)
    const paidAgain = await visit.request()
    const status = await finish(visit.seller.fetch(paidAgain.path, paidAgain.init))
    assert.ok(status < 300, `${status}`)
    assert.notEqual(await readVisible(state), before, 'the paid call changed nothing')
    visit.world.close()
  })

  for (const place of ['settle', 'sent', 'mined'] as const satisfies readonly Place[]) {
    // `npm run explore` tests all three on both databases.
    const onStates = isExploring || place === 'mined' ? onEveryState : onSqliteState
    onStates(
      `${titleOf(endpoint)} changes what was paid when its process dies at ${place}`,
      async (state) => {
        const visit = await Visit.begin(state, endpoint)
        const { path, init } = await visit.request()
        const before = await readVisible(state)
        const transfers = visit.world.chain.transfers.length
        const reached = Promise.withResolvers<void>()
        visit.seller.link.pause = async (reachedPlace) => {
          if (reachedPlace === place) reached.resolve()
        }
        visit.seller.link.dieAt = place
        // It never answers.
        visit.seller.fetch(path, init).catch(() => {})
        await reached.promise
        assert.equal(await readVisible(state), before, 'a change was visible before its settlement')
        await visit.succeed()
        const isPaid = visit.isPaid(transfers)
        // A live answer that died before its first byte changed nothing yet; its payer may have it once more.
        const isChanged = isPaid && endpoint.effect === 'staged'
        assert.equal((await readVisible(state)) !== before, isChanged, `paid: ${isPaid}`)
        assert.equal(isPaid, place === 'mined')
        visit.world.close()
      },
    )
  }
}

// `npm run operations` disconnects after more numbers of turns.
testDisconnects({ sqlite: [0, 4, 12, 24], postgres: [20] })
