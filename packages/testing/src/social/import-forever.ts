import { setTimeout as pause } from 'node:timers/promises'
import { openState } from '@tollbook/cli/commands/state/open'
import type { ImportSource } from '@tollbook/social/import/import-source'
import { findSources } from '@tollbook/social/import/open-sources'
import { runImport } from '@tollbook/social/import/run-import'

/** Imports a file into a state until it is killed: the last value never arrives. */
const [file = '', path = ''] = process.argv.slice(2)
const state = await openState(`sqlite:${file}`)
const [place] = await findSources(path)
const source = await place?.open()
if (source)
  await runImport(withoutEnd(source), {
    state,
    isAgain: false,
    now: () => new Date(),
    signal: new AbortController().signal,
    onBytes: () => {},
    onIssue: () => {},
  })

function withoutEnd(whole: ImportSource): ImportSource {
  return {
    ...whole,
    async *read(skip, onBytes) {
      let count = 0
      for await (const item of whole.read(skip, onBytes)) {
        yield item
        count += 1
        // Two batches and some more; then it waits to be killed.
        if (count === 5_000) await pause(600_000)
      }
    },
  }
}
