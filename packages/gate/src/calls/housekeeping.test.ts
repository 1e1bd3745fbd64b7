import assert from 'node:assert/strict'
import { readdirSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { bytes } from '@tollbook/endpoints/answer'
import { ProblemError } from '@tollbook/http/problem'
import { createWorld } from '@tollbook/testing/payments/gate-world'
import { onEveryState, onSqliteState } from '@tollbook/testing/state/every-state'
import { CompiledQuery, createQueryId, type Insertable, type RootOperationNode } from 'kysely'
import type { PaidCallTable } from '../state/payment-tables.ts'
import type { State } from '../state/state.ts'
import { createAnswerStore } from './answers.ts'
import { sweepCalls } from './housekeeping.ts'

const PATH = '/api/say?word=hi'
const NOW = new Date('2026-11-15T12:00:00Z')
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
  await sweepCalls(state, new Date(world.now()))
  await answers.sweep(new Date(world.now()))
  assert.deepEqual(await states(), ['released null', 'settled 200'])
  assert.equal(files().length, state.kind === 'sqlite' ? 1 : 0)

  const later = new Date(world.now() + DAY_MS + 5 * 60_000)
  await sweepCalls(state, later)
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

/** Calls whose authorizations ended three days before `NOW`. */
async function insertOld(state: State, calls: number, change: Insertable<PaidCallTable>): Promise<void> {
  const rows = Array.from({ length: calls }, (_, at) => ({ ...change, id: `${change.state}${at}` }))
  for (let at = 0; at < calls; at += 50)
    await state.db
      .insertInto('paid_call')
      .values(rows.slice(at, at + 50))
      .execute()
}

const threeDaysAgo = NOW.getTime() - 3 * DAY_MS
const SETTLED: Insertable<PaidCallTable> = {
  id: '',
  payer: '0x1',
  nonce: '0x1',
  network: 'eip155:8453',
  asset: '0x2',
  pay_to: '0x3',
  scheme: 'exact',
  service: 'utility',
  endpoint: 'say',
  scope: 'public',
  fingerprint: 'f',
  identifier: null,
  state: 'settled',
  is_open: 0,
  is_stream: 0,
  runs: 1,
  is_rerun: 0,
  owner: null,
  claim: 'c',
  signed_amount: 10,
  charge: 10,
  valid_before: threeDaysAgo / 1000,
  offer: null,
  tx_hash: null,
  reason: null,
  bytes_sent: 0,
  reserved_at: threeDaysAgo * 1000,
  updated_at: threeDaysAgo,
  settled_at: threeDaysAgo,
  check_at: 0,
  answer_status: 200,
  answer_headers: '{}',
  answer_file: null,
  answer_body: new Uint8Array([1]),
}

onEveryState('a sweep deletes everything that has expired, however much it is', async (state) => {
  await insertOld(state, 450, SETTLED)
  await insertOld(state, 600, { ...SETTLED, state: 'released', settled_at: null })
  await sweepCalls(state, NOW)
  const rows = await state.db.selectFrom('paid_call').select(['state', 'answer_body']).execute()
  assert.equal(rows.length, 450)
  assert.ok(rows.every((row) => row.state === 'settled' && row.answer_body === null))
})

onSqliteState('a sweep lets other writes through between its statements', async (state) => {
  await insertOld(state, 1_000, { ...SETTLED, state: 'released', settled_at: null })
  let isSwept = false
  const sweep = sweepCalls(state, NOW).then(() => {
    isSwept = true
  })
  const left: number[] = [1_000]
  while (!isSwept) {
    await state.change('delete from payment_proof where nonce = ?', ['none'])
    const { calls } = await state.db
      .selectFrom('paid_call')
      .select(({ fn }) => fn.countAll<number>().as('calls'))
      .executeTakeFirstOrThrow()
    left.push(calls)
  }
  await sweep
  assert.equal(left.at(-1), 0)
  const deleted = left.slice(1).map((calls, at) => (left[at] ?? 0) - calls)
  assert.ok(Math.max(...deleted) < 1_000, `between two writes, up to ${Math.max(...deleted)} were deleted`)
})

onSqliteState('a sweep finds expired calls without reading those that stay', async (state) => {
  const nodes: RootOperationNode[] = []
  const db = state.db.withPlugin({
    transformQuery: ({ node }) => {
      nodes.push(node)
      return node
    },
    transformResult: async ({ result }) => result,
  })
  await sweepCalls({ ...state, db }, NOW)
  const plans = nodes
    .map((node) => db.getExecutor().compileQuery(node, createQueryId()))
    .filter(({ sql: text }) => /^(update|delete from) "paid_call"/.test(text))
    .map(async ({ sql: text, parameters }) => {
      const plan = CompiledQuery.raw(`explain query plan ${text}`, [...parameters])
      const { rows } = await state.db.executeQuery<{ detail: string }>(plan)
      return rows.map(({ detail }) => detail).join('; ')
    })
  const [answered, released, forOthers] = await Promise.all(plans)
  assert.match(answered ?? '', /INDEX paid_call_answered/)
  assert.match(released ?? '', /INDEX paid_call_released/)
  assert.match(forOthers ?? '', /INDEX paid_call_for_others/)
})
