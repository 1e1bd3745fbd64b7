import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Address } from '@tollbook/chain/hex'
import { migrateState } from '@tollbook/cli/commands/migrations/migrate-state'
import { openState } from '@tollbook/cli/commands/state/open'
import type { State } from '@tollbook/cli/commands/state/state'
import { applyNow } from '@tollbook/endpoints/effect/effects'
import { onEveryState, onEveryStateUrl } from '@tollbook/testing/state/every-state'
import { countWallet } from '@tollbook/testing/wallets/count-wallet'
import { fuzzWallets } from '@tollbook/testing/wallets/fuzz-wallets'
import { type Acknowledged, checkNothingLost, writeUntilKilled } from '@tollbook/testing/wallets/kill-writers'
import { MAX_PAD_BYTES, PADS_QUOTA_BYTES } from '@tollbook/utility/scratchpad/contract'
import { writePad } from '@tollbook/utility/scratchpad/write-pad'
import { appendRows } from '@tollbook/utility/store/append-rows'
import { MAX_ROW_BYTES, QUOTA_BYTES } from '@tollbook/utility/store/contract'

const KILLS = 20
const PROCESSES = 16
const ROW_BYTES = 3_000
const FILL_ROOM = new URL('./parts/fill-room.ts', import.meta.url).pathname
const wallet: Address = '0x00000000000000000000000000000000000000a1'

async function withState(url: string, work: (state: State) => Promise<void>): Promise<void> {
  const state = await openState(url)
  try {
    await migrateState(state)
    await work(state)
  } finally {
    await state.close()
  }
}

const callOn = (state: State) => ({
  state,
  wallet,
  effects: applyNow,
  now: new Date(),
  signal: new AbortController().signal,
})

onEveryStateUrl(`${KILLS} killed writers of one wallet lose no acknowledged write`, (url) =>
  withState(url, async (state) => {
    const acknowledged: Acknowledged[] = []
    for (let kill = 0; kill < KILLS; kill += 2) {
      const pair = [kill, kill + 1].map((at) => writeUntilKilled(url, `k${at}`, 20 + 11 * at))
      acknowledged.push(...(await Promise.all(pair)).flat())
      await checkNothingLost(state, acknowledged)
    }
  }),
)

/**
 * Starts processes that write into the remaining room; returns what each stored, and checks that none exceeds
 * the limit.
 */
async function fillRoom(state: State, url: string, kind: string) {
  const run = promisify(execFile)
  let isOver = false
  const watch = async () => {
    while (!isOver) {
      const [counted] = await state.db.selectFrom('wallet').selectAll().execute()
      assert.ok((counted?.bytes_used ?? 0) <= QUOTA_BYTES && (counted?.pad_bytes ?? 0) <= PADS_QUOTA_BYTES)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  const watching = watch()
  const runs = Array.from({ length: PROCESSES }, (_, at) =>
    run(process.execPath, [FILL_ROOM, url, wallet, `p${at}`, kind]),
  )
  const ended = await Promise.all(runs).finally(() => {
    isOver = true
  })
  await watching
  return ended.map(({ stdout }) => JSON.parse(stdout) as { stored: number; refused: number })
}

onEveryStateUrl(`${PROCESSES} processes fill a store to its last row and never above`, (url) =>
  withState(url, async (state) => {
    // 199 rows of 262,144 bytes and a name of one leave 262,143 bytes.
    const row = { a: 'x'.repeat(MAX_ROW_BYTES - 8) }
    for (let left = 199; left > 0; left -= 50) {
      const rows = Array.from({ length: Math.min(50, left) }, () => row)
      await appendRows(callOn(state), { name: 'a', rows, expectedRows: null })
    }
    const ended = await fillRoom(state, url, `${ROW_BYTES}`)
    const { bytesUsed } = await countWallet(state, wallet)
    assert.ok(bytesUsed <= QUOTA_BYTES && bytesUsed > QUOTA_BYTES - ROW_BYTES, `${bytesUsed}`)
    assert.ok(ended.every(({ refused }) => refused === 1))
    const stored = ended.reduce((sum, one) => sum + one.stored, 0)
    // A process that stored a row has also made a collection, with a name of two or three bytes.
    const names = ended.reduce((sum, one, at) => sum + (one.stored > 0 ? `p${at}`.length : 0), 0)
    assert.equal(bytesUsed, 199 * MAX_ROW_BYTES + 1 + stored * ROW_BYTES + names)
  }),
)

onEveryStateUrl(
  `${PROCESSES} processes that write the largest pads stay within the room of a wallet`,
  (url) =>
    withState(url, async (state) => {
      const value = 'x'.repeat(MAX_PAD_BYTES)
      for (let at = 0; at < 84; at++) {
        const options = {
          name: `${at}`,
          value,
          mode: 'replace',
          ttlSeconds: null,
          expectedVersion: null,
        } as const
        await writePad(callOn(state), options)
      }
      // 84 pads of 1 MB and their names leave less than 16 MB: one of 16 further pads finds no room.
      const ended = await fillRoom(state, url, 'pad')
      const { padBytes } = await countWallet(state, wallet)
      assert.ok(padBytes <= PADS_QUOTA_BYTES && padBytes > 98 * MAX_PAD_BYTES, `${padBytes}`)
      assert.ok(ended.some(({ refused }) => refused === 1))
      // A process that has a pad can write it again, since its own older versions make room.
      assert.ok(ended.every(({ stored, refused }) => (refused === 1 ? stored === 0 : stored === 12)))
    }),
)

onEveryState('of 100 wallets that act at once for long each sees and counts its own alone', (state) =>
  fuzzWallets(state, 100, 60),
)
