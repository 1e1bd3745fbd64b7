import assert from 'node:assert/strict'
import { onEveryState } from '@tollbook/testing/state/every-state'
import { createSharedTransactions, type Work } from './shared-transactions.ts'

const WORKS = 30

onEveryState(
  'of works at once, those that fail are undone, and the others take effect once',
  async (state) => {
    const share = createSharedTransactions(state)
    const grow =
      (payer: string, isDone: () => boolean): Work =>
      async (transaction) => {
        await transaction
          .insertInto('live_allowance')
          .values({ payer, amount: 1, changed_at: 0 })
          .onConflict((conflict) =>
            conflict.column('payer').doUpdateSet(({ ref }) => ({ amount: ref('live_allowance.amount') })),
          )
          .execute()
        await transaction
          .updateTable('live_allowance')
          .set((expression) => ({ amount: expression('amount', '+', 1) }))
          .where('payer', '=', payer)
          .execute()
        return isDone()
      }
    const fail = () => {
      throw new Error('the store failed')
    }
    const endOf = (at: number) => (at % 10 === 3 ? () => false : at % 10 === 7 ? fail : () => true)
    const names = Array.from({ length: WORKS }, (_, at) => `payer ${at}`)
    const ended = await Promise.allSettled(names.map((name, at) => share(grow(name, endOf(at)))))
    const expected = names.map((_, at) => (at % 10 === 3 ? false : at % 10 === 7 ? 'failed' : true))
    assert.deepEqual(
      ended.map((end) => (end.status === 'fulfilled' ? end.value : 'failed')),
      expected,
    )
    // A second round, in which all succeed together.
    assert.deepEqual(
      await Promise.all(names.map((name) => share(grow(name, () => true)))),
      names.map(() => true),
    )
    const rows = await state.db.selectFrom('live_allowance').select(['payer', 'amount']).execute()
    const amounts = new Map(rows.map(({ payer, amount }) => [payer, amount]))
    assert.deepEqual(
      names.map((name) => amounts.get(name)),
      expected.map((isDone) => (isDone === true ? 3 : 2)),
    )
  },
)
