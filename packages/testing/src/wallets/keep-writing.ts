import { openState } from '@tollbook/cli/commands/state/open'
import { applyNow } from '@tollbook/endpoints/effect/effects'
import { writePad } from '@tollbook/utility/scratchpad/write-pad'
import { appendRows } from '@tollbook/utility/store/append-rows'
import { changeRow } from '@tollbook/utility/store/change-row'
import type { Acknowledged } from './kill-writers.ts'

// Writes rows, changes and pads of one wallet from several concurrent callers, and prints each once it is
// acknowledged.
const [url = '', wallet = '', prefix = ''] = process.argv.slice(2)
const state = await openState(url)
const call = () => ({
  state,
  wallet: wallet as `0x${string}`,
  effects: applyNow,
  now: new Date(),
  signal: new AbortController().signal,
})

function acknowledge(line: Acknowledged): void {
  process.stdout.write(`${JSON.stringify(line)}\n`)
}

/** Three rows at a time, which are atomic, and a change of the last of them. */
async function writeRows(name: string): Promise<never> {
  for (let batch = 0; ; batch++) {
    const rows = [0, 1, 2].map((at) => ({ batch: `${prefix}-${batch}`, at }))
    const { ids } = await appendRows(call(), { name, rows, expectedRows: null })
    acknowledge({ kind: 'rows', name, ids, batch: `${prefix}-${batch}` })
    const id = ids[2] ?? 0
    await changeRow(call(), { name, id, expectedVersion: 1 }, (fields) => ({ ...fields, changed: true }))
    acknowledge({ kind: 'change', name, id })
  }
}

async function writePads(name: string): Promise<never> {
  for (let at = 0; ; at++) {
    const value = `${prefix}-${at}`
    const options = { name, value, mode: 'replace', ttlSeconds: null, expectedVersion: null } as const
    const { version } = await writePad(call(), options)
    acknowledge({ kind: 'pad', name, version, value })
  }
}

// Two callers share a collection with those of other processes.
await Promise.all([writeRows('shared'), writeRows('shared'), writeRows(prefix), writePads(prefix)])
