import assert from 'node:assert/strict'
import { applyNow } from '@tollbook/endpoints/effect/effects'
import { ProblemError } from '@tollbook/http/problem'
import { onEveryStateUrl } from '@tollbook/testing/state/every-state'
import { openStateAt } from '@tollbook/testing/state/open-state-at'
import type { State } from '../state/state.ts'
import type { WalletCall } from '../wallet/change-wallet.ts'
import { appendRows } from './append-rows.ts'
import { changeRow } from './change-row.ts'
import { MAX_ROW_BYTES, QUOTA_BYTES } from './contract.ts'
import { deleteCollection } from './delete-collection.ts'

const wallet = '0x00000000000000000000000000000000000000a1'
const now = new Date('2026-11-21T10:00:00.000Z')
const callOn = (state: State): WalletCall => ({
  state,
  wallet,
  now,
  effects: applyNow,
  signal: new AbortController().signal,
})

/** A row whose JSON has this many bytes: {"a":"…"} is 8 and the text. */
const rowOf = (bytes: number) => ({ a: 'x'.repeat(bytes - 8) })
const append = (state: State, name: string, bytes: readonly number[]) =>
  appendRows(callOn(state), { name, rows: bytes.map(rowOf), expectedRows: null })

/** The actual size of the rows and names, to compare with the counters. */
async function measure(state: State) {
  const rows = await state.db.selectFrom('collection_row').select(['body', 'bytes']).execute()
  const collections = await state.db.selectFrom('collection').select(['name', 'bytes']).execute()
  const counted = await state.db.selectFrom('wallet').select('bytes_used').executeTakeFirstOrThrow()
  const texts = [...rows.map(({ body }) => body), ...collections.map(({ name }) => name)]
  return {
    real: texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0),
    ofCollections: collections.reduce((sum, { bytes }) => sum + bytes, 0),
    counted: counted.bytes_used,
  }
}

onEveryStateUrl(
  '16 writers of two processes fill the quota to the last byte and never exceed it',
  async (url) => {
    const states = await Promise.all([openStateAt(url), openStateAt(url)])
    const [state = states[0]] = states
    assert.ok(state)
    try {
      // 1 byte of the name and 199 rows of 262,144 bytes: 52,166,657; the rest of the quota is 262,143 bytes.
      const full = Array.from({ length: 199 }, () => MAX_ROW_BYTES)
      for (let at = 0; at < full.length; at += 50) await append(state, 'a', full.slice(at, at + 50))
      assert.equal((await measure(state)).counted, 52_166_657)
      // 16 writers want 30,000 bytes and a name of 2 each; 8 of them fit: 8 * 30,002 = 240,016.
      const writers = Array.from({ length: 16 }, (_, at) =>
        append(states[at % 2] ?? state, `${10 + at}`, [30_000]).then(
          () => 'stored',
          (error) => {
            assert.ok(error instanceof ProblemError && error.problem.code === 'quota_exceeded', String(error))
            return 'refused'
          },
        ),
      )
      const outcomes = await Promise.all(writers)
      assert.equal(outcomes.filter((outcome) => outcome === 'stored').length, 8)
      const used = 52_166_657 + 240_016
      assert.deepEqual(await measure(state), { real: used, ofCollections: used, counted: used })
      // 22,127 bytes are left: a row of them fits, and then not one byte more.
      assert.equal((await append(state, 'a', [QUOTA_BYTES - used])).bytesUsed, QUOTA_BYTES)
      await assert.rejects(append(state, 'a', [8]), (error) => {
        assert.ok(error instanceof ProblemError)
        assert.deepEqual(error.problem.members, {
          bytes_used: 52_428_800,
          quota_bytes: 52_428_800,
          bytes_needed: 8,
        })
        return true
      })
      const address = { name: 'a', id: 200, expectedVersion: null }
      const grow = changeRow(callOn(state), address, (fields) => ({ ...fields, b: 1 }))
      await assert.rejects(grow, /quota_exceeded/)
      const shrunk = await changeRow(callOn(state), address, () => ({}))
      // {} has 2 bytes, the row had 22,127.
      assert.equal(shrunk.bytesUsed, QUOTA_BYTES - 22_125)
      assert.equal((await deleteCollection(callOn(state), 'a')).bytesUsed, 240_016)
      assert.deepEqual(await measure(state), { real: 240_016, ofCollections: 240_016, counted: 240_016 })
    } finally {
      await Promise.all(states.map((one) => one.close()))
    }
  },
)
