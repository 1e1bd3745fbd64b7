import { availableParallelism } from 'node:os'
import { defineJob } from '@tollbook/workers/job'
import { createWorkerPool } from '@tollbook/workers/pool'
import { type LoopDelay, watchLoop } from './loop-delay.ts'

const spin = defineJob<typeof import('@tollbook/testing/workers/worker-jobs').spin>({
  module: new URL('../../packages/testing/src/workers/worker-jobs.ts', import.meta.url),
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
