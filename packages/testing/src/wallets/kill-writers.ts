import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { applyNow } from '@tollbook/endpoints/effect/effects'
import type { State } from '@tollbook/utility/state/state'
import { exportStore } from '@tollbook/utility/store/export-store'
import { takeWallet } from '@tollbook/utility/wallet/change-wallet'
import { countWallet } from './count-wallet.ts'

/** The writes acknowledged to a writer. */
export type Acknowledged =
  | { readonly kind: 'rows'; readonly name: string; readonly ids: readonly number[]; readonly batch: string }
  | { readonly kind: 'change'; readonly name: string; readonly id: number }
  | { readonly kind: 'pad'; readonly name: string; readonly version: number; readonly value: string }

const CHILD = new URL('./keep-writing.ts', import.meta.url).pathname
const WALLET = '0x00000000000000000000000000000000000000a1'

/** Starts a writing process, kills it with SIGKILL after this many acknowledged writes, and returns them. */
export async function writeUntilKilled(url: string, prefix: string, writes: number): Promise<Acknowledged[]> {
  const child = spawn(process.execPath, [CHILD, url, WALLET, prefix], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.on('data', (chunk) => {
    output += chunk
    if (output.split('\n').length > writes) child.kill('SIGKILL')
  })
  const [, signal] = await once(child, 'close')
  assert.equal(signal, 'SIGKILL')
  // An incomplete last line was cut by the kill.
  const lines = output.split('\n').slice(0, -1)
  return lines.map((line) => JSON.parse(line) as Acknowledged)
}

type ExportedRow = { readonly id: number; readonly version: number; readonly batch: string }

/** Compares the stored data with all acknowledged writes, and the counters with the stored data. */
export async function checkNothingLost(state: State, acknowledged: readonly Acknowledged[]): Promise<void> {
  // A database server may still commit for a killed process; its own lock then orders before this one.
  await state.db.transaction().execute((transaction) => takeWallet(transaction, WALLET))
  const rows = await readRows(state)
  const ofBatch = Map.groupBy([...rows.values()], ({ batch }) => batch)
  for (const line of acknowledged) {
    if (line.kind === 'pad') continue
    const ids = line.kind === 'rows' ? line.ids : [line.id]
    for (const id of ids) assert.ok(rows.has(`${line.name}/${id}`), `${line.name}/${id} is lost`)
    if (line.kind === 'change') assert.equal(rows.get(`${line.name}/${line.id}`)?.version, 2)
    else assert.equal(rows.get(`${line.name}/${line.ids[0]}`)?.batch, line.batch)
  }
  // Rows of one call are atomic, also if the kill cut off their acknowledgement.
  for (const [name, three] of ofBatch) assert.equal(three.length % 3, 0, `${name} is incomplete`)
  await checkPads(state, acknowledged)
  await countWallet(state, WALLET)
}

async function readRows(state: State): Promise<ReadonlyMap<string, ExportedRow>> {
  const call = {
    state,
    wallet: WALLET,
    effects: applyNow,
    now: new Date(),
    signal: new AbortController().signal,
  } as const
  let text = ''
  for await (const { bytes } of exportStore(call)) text += Buffer.from(bytes).toString()
  const lines = text.trimEnd().split('\n')
  const parsed = lines.map((line) => JSON.parse(line) as { collection: string; row?: ExportedRow })
  return new Map(parsed.flatMap(({ collection, row }) => (row ? [[`${collection}/${row.id}`, row]] : [])))
}

async function checkPads(state: State, acknowledged: readonly Acknowledged[]): Promise<void> {
  const pads = acknowledged.filter((line) => line.kind === 'pad')
  for (const [name, writes] of Map.groupBy(pads, (pad) => pad.name)) {
    const last = writes.reduce((one, other) => (one.version > other.version ? one : other))
    const pad = state.db.selectFrom('pad').innerJoin('pad_version', 'pad_version.pad', 'pad.id')
    const found = await pad
      .select('content')
      .where('name', '=', name)
      .where('pad_version.version', '=', last.version)
      .executeTakeFirst()
    assert.equal(Buffer.from(found?.content ?? []).toString(), last.value)
  }
}
