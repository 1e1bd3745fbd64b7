import assert from 'node:assert/strict'
import { onEveryState } from '@tollbook/testing/state/every-state'
import type { State } from '../state/state.ts'
import { createPayerCredit } from './payer-credit.ts'

const [PAYER, OTHER] = ['0xaa', '0xbb'] as const
const NOW = new Date('2026-11-23T00:00:00Z')

const openCredit = (state: State) => createPayerCredit({ state, barMs: 1_000, clock: () => NOW })
const rowOf = (state: State, payer: string) =>
  state.db
    .selectFrom('payer_credit')
    .select(['calls', 'reverted_at'])
    .where('payer', '=', payer)
    .executeTakeFirst()

async function settle(credit: ReturnType<typeof openCredit>, times: number): Promise<void> {
  for (let time = 0; time < times; time += 1) await credit.noteSettled(PAYER)
}

onEveryState('a wallet that has paid nothing is barred by its first reverted settlement', async (state) => {
  const credit = openCredit(state)
  await credit.noteReverted(PAYER)
  assert.ok(credit.isBarred(PAYER))
  assert.ok(!credit.isBarred(OTHER))
  assert.equal(credit.barredUntil(NOW.getTime()), NOW.getTime() + 1_000)
  assert.equal(credit.barredUntil(NOW.getTime() - 1_000), 0)
  assert.deepEqual(await rowOf(state, PAYER), { calls: 0, reverted_at: NOW.getTime() })
})

onEveryState('two settled calls cover one reverted settlement, and no second one', async (state) => {
  const credit = openCredit(state)
  await settle(credit, 3)
  await credit.noteReverted(PAYER)
  assert.ok(!credit.isBarred(PAYER))
  await credit.noteReverted(PAYER)
  assert.ok(credit.isBarred(PAYER))
})

onEveryState('settlements that revert in two processes are covered once', async (state) => {
  const [first, second] = [openCredit(state), openCredit(state)]
  await settle(first, 2)
  second.learn(PAYER, { calls: 2, revertedAt: null })
  await Promise.all([first.noteReverted(PAYER), second.noteReverted(PAYER)])
  assert.notEqual((await rowOf(state, PAYER))?.reverted_at, null)
})

onEveryState('a barred wallet that pays for two calls is served again', async (state) => {
  const credit = openCredit(state)
  await credit.noteReverted(PAYER)
  await settle(credit, 1)
  assert.ok(credit.isBarred(PAYER))
  await settle(credit, 1)
  assert.ok(!credit.isBarred(PAYER))
  assert.deepEqual(await rowOf(state, PAYER), { calls: 2, reverted_at: null })
})

onEveryState('one more settlement may be on its way for every two settled calls', async (state) => {
  const credit = openCredit(state)
  const allowed: number[] = []
  for (let calls = 0; calls <= 6; calls += 1) {
    allowed.push(credit.maxSettling(PAYER))
    await credit.noteSettled(PAYER)
  }
  assert.deepEqual(allowed, [1, 1, 2, 2, 3, 3, 4])
})

onEveryState('after a restart at least half of the settled calls still count', async (state) => {
  await settle(openCredit(state), 15)
  const row = await rowOf(state, PAYER)
  // Stored at 2, 4 and 8.
  assert.deepEqual(row, { calls: 8, reverted_at: null })
  const restarted = openCredit(state)
  restarted.learn(PAYER, { calls: 8, revertedAt: null })
  assert.equal(restarted.maxSettling(PAYER), 5)
})

onEveryState('a payer is credited with 128 calls at most', async (state) => {
  const credit = openCredit(state)
  await settle(credit, 300)
  assert.equal((await rowOf(state, PAYER))?.calls, 128)
  assert.equal(credit.maxSettling(PAYER), 65)
})
