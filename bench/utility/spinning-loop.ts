import { availableParallelism } from 'node:os'
import { defineJob } from '../../src/workers/job.ts'
import { createWorkerPool } from '../../src/workers/pool.ts'
import { type LoopDelay, watchLoop } from './loop-delay.ts'

const spin = defineJob<typeof import('../../testing/workers/worker-jobs.ts').spin>({
  module: new URL('../../testing/workers/worker-jobs.ts', import.meta.url),
  name: 'spin',
  deadlineMs: 600_000,
})

/** The delay of an idle loop while one thread per core spins. */
export async function watchSpinning(ms: number): Promise<LoopDelay> {
  const pool = createWorkerPool()
  const caller = new AbortController()
  const spinning = Array.from({ length: availableParallelism() }, () =>
    pool.run(spin, {}, caller.signal).catch(() => {}),
  )
  const watch = watchLoop()
  await new Promise((resolve) => setTimeout(resolve, ms))
  const delay = await watch.stop()
  caller.abort()
  await Promise.all(spinning)
  await pool.close()
  return delay
}
