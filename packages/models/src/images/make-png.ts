import type { Availability } from '@tollbook/endpoints/endpoint'
import { pausedProblem } from '@tollbook/upstream/upstream-breaker'
import { defineJob } from '@tollbook/workers/job'
import type { WorkerPool } from '@tollbook/workers/pool'
import type { FinishedImage } from './finish-image.ts'
import type { ImageMaker, ImageOrder, MadeImage } from './image-maker.ts'
import { failed, IMAGE_UPSTREAM } from './upstream.ts'

const finish = defineJob<typeof import('./finish-image.ts').finishImage>({
  module: new URL('./finish-image.ts', import.meta.url),
  name: 'finishImage',
  deadlineMs: 20_000,
})

export type ImagePorts = {
  /** Null if the operator configured no upstream. */
  readonly imageMaker: ImageMaker | null
  readonly workers: WorkerPool
}

/**
 * Generates an image as PNG, of exactly the ratio of the requested size.
 * @throws ProblemError as `ImageMaker.make`; the signal's reason.
 */
export async function makePng(
  { imageMaker, workers }: ImagePorts,
  order: ImageOrder,
  signal: AbortSignal,
): Promise<FinishedImage & Omit<MadeImage, 'bytes'>> {
  if (!imageMaker) throw new Error('unreachable: not available without an upstream')
  const { bytes, ...made } = await imageMaker.make(order, signal)
  const finished = await workers.run(finish, { bytes, aspect: order.size }, signal)
  if ('refusal' in finished) throw failed(`The image from the upstream ${finished.refusal}.`)
  return { ...finished, ...made }
}

/** @param missing why there is no upstream, and what configures one. */
export function imageAvailability(imageMaker: ImageMaker | null, missing: string): Availability {
  if (!imageMaker) return { isAvailable: false, problem: { code: 'not_configured', detail: missing } }
  const seconds = imageMaker.pauseSeconds()
  return seconds > 0
    ? { isAvailable: false, problem: pausedProblem(IMAGE_UPSTREAM, seconds) }
    : { isAvailable: true }
}
