import { DatabaseSync } from 'node:sqlite'
import { workerData } from 'node:worker_threads'
import type { CopyOrder } from './copy-state.ts'

/** Passed by the parent. */
const { from, to } = workerData as CopyOrder
const source = new DatabaseSync(from)
try {
  // One read transaction: writers continue, and the copy contains none of their later writes.
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
