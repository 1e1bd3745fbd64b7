import assert from 'node:assert/strict'
import { readdirSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { createWorld } from '../../../test/payments/gate-world.ts'
import { onEveryState } from '../../../test/state/every-state.ts'
import { bytes } from '../../catalogue/answer.ts'
import { ProblemError } from '../../http/problem.ts'
import { createAnswerStore } from './answers.ts'
import { sweepLedger } from './housekeeping.ts'

const PATH = '/api/say?word=hi'
const DAY_MS = 24 * 60 * 60_000

onEveryState('after a day answers are deleted, and their receipts stay', async (state) => {
  const world = createWorld(state)
  const { fetch, pay, desk } = await world.startProcess()
  // More than a row of SQLite holds.
  desk.work = () => bytes(new Uint8Array(1_500_000), 'image/png')
  assert.equal((await fetch(PATH, await pay(PATH, world.newPayer()))).status, 200)
  desk.work = () => {
    throw new ProblemError({ code: 'cannot_be_served', detail: 'Not now.' })
  }
  assert.equal((await fetch(PATH, await pay(PATH, world.newPayer()))).status, 422)
  const files = () => (state.kind === 'sqlite' ? readdirSync(join(world.dataDir, 'answers')) : [])
  assert.equal(files().length, state.kind === 'sqlite' ? 1 : 0)

  const answers = createAnswerStore({ state, dataDir: world.dataDir })
  const states = async () =>
    (
      await state.db.selectFrom('paid_call').select(['state', 'answer_status']).orderBy('state').execute()
    ).map((row) => `${row.state} ${row.answer_status}`)
  await sweepLedger(state, new Date(world.now()))
  await answers.sweep(new Date(world.now()))
  assert.deepEqual(await states(), ['released null', 'settled 200'])
  assert.equal(files().length, state.kind === 'sqlite' ? 1 : 0)

  const later = new Date(world.now() + DAY_MS + 5 * 60_000)
  await sweepLedger(state, later)
  await answers.sweep(later)
  assert.deepEqual(await states(), ['settled null'])
  assert.deepEqual(files(), [])
  world.close()
})

onEveryState(
  'a file without a row is deleted, unless it may belong to a delivery in progress',
  async (state) => {
    const world = createWorld(state)
    const answers = createAnswerStore({ state: { ...state, kind: 'sqlite' }, dataDir: world.dataDir })
    const { file } = await answers.store(
      { id: 'call', token: 'run' },
      { status: 200, headers: {}, body: new Uint8Array(2_000_000) },
    )
    const path = join(world.dataDir, 'answers', file ?? '')
    await answers.sweep(new Date())
    assert.equal(readdirSync(join(world.dataDir, 'answers')).length, 1)
    const longAgo = Date.now() / 1000 - 2 * 60 * 60
    utimesSync(path, longAgo, longAgo)
    await answers.sweep(new Date())
    assert.equal(readdirSync(join(world.dataDir, 'answers')).length, 0)
    world.close()
  },
)
