import { defineJob } from '@tollbook/workers/job'
import { createWorkerPool } from '@tollbook/workers/pool'

const module = new URL('./worker-jobs.ts', import.meta.url)
type Jobs = typeof import('./worker-jobs.ts')
const spin = defineJob<Jobs['spin']>({ module, name: 'spin', deadlineMs: 600_000 })
const readPid = defineJob<Jobs['readPid']>({ module, name: 'readPid', deadlineMs: 60_000 })
const NEVER = new AbortController().signal

const pool = createWorkerPool({ threads: 1 })
const pid = await pool.run(readPid, {}, NEVER)
const spinning = pool.run(spin, {}, NEVER)
// The process of the pool, once it has an order without an end.
setImmediate(() => process.stdout.write(`${pid}\n`))
await spinning
