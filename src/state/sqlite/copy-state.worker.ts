import { DatabaseSync } from 'node:sqlite'
import { workerData } from 'node:worker_threads'
import type { CopyOrder } from './copy-state.ts'

/** Given by whoever starts the thread. */
const { from, to } = workerData as CopyOrder
const source = new DatabaseSync(from)
try {
  // One reading transaction: writers go on beside it, and the copy has none of what they write meanwhile.
  source.prepare('VACUUM INTO ?').run(to)
} finally {
  source.close()
}
const copy = new DatabaseSync(to, { readOnly: true })
try {
  const [row] = copy.prepare('PRAGMA quick_check').all()
  if (row?.quick_check !== 'ok') throw new Error('the copy of the state is damaged')
} finally {
  copy.close()
}
