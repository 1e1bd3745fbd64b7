import assert from 'node:assert/strict'
import { applyNow } from '@tollbook/endpoints/effect/effects'
import { TEST_TIME } from '@tollbook/testing/catalogue/run-endpoint'
import { onEveryState, onSqliteState } from '@tollbook/testing/state/every-state'
import { openWalletService } from '@tollbook/testing/wallets/wallet-service'
import type { State } from '../state/state.ts'
import { exportStore } from './export-store.ts'

const ANN = '0x00000000000000000000000000000000000000a1'
const BEN = '0x00000000000000000000000000000000000000b2'

async function open(state: State) {
  return openWalletService(state)
}

onEveryState(
  'an export has every row of every collection of the wallet, and a final count',
  async (state) => {
    const { ask, setTime } = await open(state)
    const post = (payer: typeof ANN | typeof BEN, name: string, body: unknown) =>
      ask(`/api/store/${name}`, { payer, method: 'POST', body })
    await post(ANN, 'b', { n: 1 })
    // More rows than are read in one step.
    await post(
      ANN,
      'a',
      Array.from({ length: 900 }, (_, n) => ({ n, text: 'é'.repeat(40) })),
    )
    await post(BEN, 'a', { secret: 'of ben' })
    // Day 50: an expiry on day 60 is extended to day 80, 2027-02-09.
    setTime(new Date(TEST_TIME.getTime() + 50 * 86_400_000))
    const answer = await ask('/api/store/export', { payer: ANN })
    assert.equal(answer.headers.get('content-type'), 'application/x-ndjson; charset=utf-8')
    assert.ok(answer.text.endsWith('\n'))
    const lines = answer.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    const times = { created_at: TEST_TIME.toISOString(), updated_at: TEST_TIME.toISOString() }
    const retained = { ...times, expires_at: '2027-02-09T10:00:00.000Z' }
    const ts = '2027-01-10T10:00:00.000Z'
    assert.deepEqual(lines[0], { type: 'store', wallet: ANN, collections: 2, rows: 901, ts })
    assert.deepEqual(lines[1], { type: 'collection', name: 'a', rows: 900, ...retained })
    assert.deepEqual(
      lines.slice(2, 902),
      Array.from({ length: 900 }, (_, n) => ({
        type: 'row',
        collection: 'a',
        row: { id: n + 1, version: 1, ...times, n, text: 'é'.repeat(40) },
      })),
    )
    assert.deepEqual(lines.slice(902), [
      { type: 'collection', name: 'b', rows: 1, ...retained },
      { type: 'row', collection: 'b', row: { id: 1, version: 1, ...times, n: 1 } },
      { type: 'end', collections: 2, rows: 901 },
    ])
    assert.equal(
      (await ask('/api/store', { payer: ANN })).body.collections[0].expires_at,
      retained.expires_at,
    )
  },
)

onSqliteState('a wallet without collections gets an empty export', async (state) => {
  const { ask } = await open(state)
  const { text } = await ask('/api/store/export', { payer: ANN })
  assert.deepEqual(
    text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
    [
      { type: 'store', wallet: ANN, collections: 0, rows: 0, ts: TEST_TIME.toISOString() },
      { type: 'end', collections: 0, rows: 0 },
    ],
  )
})

onSqliteState('an export is read step by step, and ends when its reader disconnects', async (state) => {
  const { ask } = await open(state)
  // Six rows of 200 kB: steps of at most 1 MB, so at least two.
  const body = Array.from({ length: 6 }, () => ({ a: 'x'.repeat(200_000) }))
  await ask('/api/store/big', { payer: ANN, method: 'POST', body })
  const end = new AbortController()
  const pieces = exportStore({ state, wallet: ANN, effects: applyNow, now: TEST_TIME, signal: end.signal })
  const sizes: number[] = []
  await assert.rejects(async () => {
    for await (const { bytes } of pieces) {
      sizes.push(bytes.byteLength)
      if (sizes.length === 3) end.abort(new Error('the reader disconnected'))
    }
  }, /the reader disconnected/)
  assert.equal(sizes.length, 3)
  assert.ok(sizes.every((size) => size < 1_100_000))
})

onSqliteState('a collection cannot have the name of the export', async (state) => {
  const { ask } = await open(state)
  const answer = await ask('/api/store/export', { payer: ANN, method: 'POST', body: {} })
  assert.deepEqual([answer.status, answer.body.code], [405, 'method_not_allowed'])
})
