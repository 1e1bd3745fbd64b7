import { type Problem, ProblemError } from '../../catalogue/problem.ts'
import type { SafeFetch } from '../../fetching/safe-fetch.ts'
import { createUpstreamBreaker } from '../../upstream/upstream-breaker.ts'
import type { ImageMaker } from './image-maker.ts'

/** What it is called to callers. */
export const IMAGE_UPSTREAM = 'image upstream'
/** A picture takes seconds on a large card and minutes on a small one. */
export const IMAGE_TIMEOUT_MS = 110_000
/** A PNG of 4096 x 4096 in base64, and what stands around it. */
export const MAX_ANSWER_BYTES = 100_000_000

export type ImageUpstream = {
  /** Without a slash at its end. */
  readonly url: string
  /** To the upstream, which may stand in a private network; it waits as long as pictures take. */
  readonly fetch: SafeFetch
  readonly key?: string | undefined
  readonly model?: string | undefined
  /** After which a picture is given up, ms; default 110,000. */
  readonly timeoutMs?: number
}

/** What an upstream of any dialect says to a prompt that it does not want. */
export const REFUSED_PROMPT: Problem = {
  code: 'cannot_be_served',
  detail: 'The image upstream refuses this prompt by its content policy.',
}

/** Leaves an upstream alone that fails again and again. */
export function withBreaker(maker: Pick<ImageMaker, 'engine' | 'make'>): ImageMaker {
  const breaker = createUpstreamBreaker(IMAGE_UPSTREAM)
  return {
    engine: maker.engine,
    pauseSeconds: breaker.pauseSeconds,
    make: (order, signal) => breaker.run(() => maker.make(order, signal), signal),
  }
}

/** @throws ProblemError where it is no base64 */
export function decodeBase64(text: string): Uint8Array {
  const bare = text.replace(/^data:image\/[a-z+.-]+;base64,/, '')
  const bytes = Buffer.from(bare, 'base64')
  if (bytes.length === 0) throw failed('The image upstream answered without a picture.')
  return bytes
}

export function failed(detail: string, options?: { cause?: unknown }): ProblemError {
  return new ProblemError({ code: 'upstream_failed', detail }, options)
}
