import type { Address, Call } from '../../../../catalogue/endpoint.ts'
import { ProblemError } from '../../../../catalogue/problem.ts'
import { defineJob } from '../../../../workers/job.ts'
import type { PageSource } from '../../../page/read-page.ts'
import { workOnPage } from '../../../page/work-on-page.ts'
import type { UtilityPorts } from '../../../ports.ts'
import type { RenderedPage, RenderOptions } from './render-page.ts'

const module = new URL('./extract-content.ts', import.meta.url)
const name = 'extractContent'
const job = (deadlineMs: number) =>
  defineJob<typeof import('./extract-content.ts').extractContent>({ module, name, deadlineMs })

/** With all extractors; few pages take one of them longer. */
const thorough = job(4_000)
/** Without the slow one. */
const quick = job(8_000)

type Caller = Pick<Call<unknown, UtilityPorts, Address>, 'ports' | 'signal'>

/** Extracts in a worker with all extractors, and where they take too long, without the one that does. */
export async function extractInWorker(
  source: PageSource,
  options: RenderOptions & { readonly isMainOnly: boolean },
  call: Caller,
): Promise<RenderedPage> {
  try {
    return await workOnPage(thorough, { source, options: { ...options, mayTakeLong: true } }, call)
  } catch (error) {
    if (!(error instanceof ProblemError && error.problem.code === 'upstream_timeout')) throw error
    return workOnPage(quick, { source, options: { ...options, mayTakeLong: false } }, call)
  }
}
