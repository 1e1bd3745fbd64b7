import { openState } from '@tollbook/cli/commands/state/open'
import { applyNow } from '@tollbook/endpoints/effect/effects'
import { ProblemError } from '@tollbook/http/problem'
import { MAX_PAD_BYTES } from '@tollbook/utility/scratchpad/contract'
import { writePad } from '@tollbook/utility/scratchpad/write-pad'
import { appendRows } from '@tollbook/utility/store/append-rows'

// Writes rows of this many bytes into a collection until the quota is full, or a pad of maximum size a few
// times.
const [url = '', wallet = '', name = '', rowBytes = '0'] = process.argv.slice(2)
const PAD_WRITES = 12

const state = await openState(url)
const call = () => ({
  state,
  wallet: wallet as `0x${string}`,
  effects: applyNow,
  now: new Date(),
  signal: new AbortController().signal,
})

async function write(): Promise<void> {
  if (rowBytes === 'pad') {
    const value = 'x'.repeat(MAX_PAD_BYTES)
    const options = { name, value, mode: 'replace', ttlSeconds: null, expectedVersion: null } as const
    await writePad(call(), options)
  } else {
    // {"a":"…"} is 8 bytes and the text.
    const rows = [{ a: 'x'.repeat(Number(rowBytes) - 8) }]
    await appendRows(call(), { name, rows, expectedRows: null })
  }
}

let stored = 0
let refused = 0
try {
  for (; rowBytes !== 'pad' || stored < PAD_WRITES; stored++) await write()
} catch (error) {
  if (!(error instanceof ProblemError) || error.problem.code !== 'quota_exceeded') throw error
  refused = 1
}
await state.close()
process.stdout.write(JSON.stringify({ stored, refused }))
