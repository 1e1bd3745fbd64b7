import { ProblemError } from '@tollbook/http/problem'
import type { Job } from '@tollbook/workers/job'
import type { WorkerPool } from '@tollbook/workers/pool'
import type { PageResult } from './open-page.ts'

type PageCall = { readonly ports: { readonly workers: WorkerPool }; readonly signal: AbortSignal }

/**
 * Runs a page's job in a worker.
 * @throws ProblemError `cannot_be_served` for a page that is too complex, and the pool's errors; none is
 * charged.
 */
export async function workOnPage<Input, Result>(
  job: Job<(input: Input) => PageResult<Result> | Promise<PageResult<Result>>>,
  input: Input,
  { ports, signal }: PageCall,
): Promise<Result> {
  const done: PageResult<Result> = await ports.workers.run(job, input, signal)
  if ('refusal' in done) throw new ProblemError({ code: 'cannot_be_served', detail: done.refusal })
  return done.result
}
