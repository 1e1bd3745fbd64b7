import assert from 'node:assert/strict'
import { onEveryState } from '@tollbook/testing/state/every-state'
import { sql } from 'kysely'
import { createListingPayers } from './listing-payers.ts'

const PAY_TO = `0x${'5e'.repeat(20)}` as const
const PAYER = `0x${'aa'.repeat(20)}` as const

onEveryState('a ranking has the sales that another one is still writing', async (state) => {
  const payers = createListingPayers({ state, clock: () => new Date(), onError: assert.ifError })
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const { promise: isLocked, resolve: lock } = Promise.withResolvers<void>()
  const held = state.db.transaction().execute(async (transaction) => {
    if (state.kind === 'postgres') await sql`lock table listing_payer in exclusive mode`.execute(transaction)
    else await transaction.deleteFrom('listing_payer').execute()
    lock()
    await released
  })
  await isLocked
  payers.note({ payTo: PAY_TO, host: 'a.example', payer: PAYER, amount: 1000n })
  // The first is writing the sale, and waits for the table.
  const first = payers.readRanked(10)
  let isRead = false
  const second = payers.readRanked(10).then(() => {
    isRead = true
  })
  // On PostgreSQL, reads of the table go on meanwhile.
  if (state.kind === 'postgres')
    for (let at = 0; at < 20; at += 1) await state.db.selectFrom('listing_payer').selectAll().execute()
  const wasRead = isRead
  release()
  await Promise.all([held, first, second])
  assert.equal(wasRead, false)
  const { amount } = await state.db.selectFrom('listing_payer').select('amount').executeTakeFirstOrThrow()
  assert.equal(amount, 1000)
  await payers.close()
})
