import { type Problem, ProblemError } from '@tollbook/http/problem'
import type { SafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import { createUpstreamBreaker } from '@tollbook/upstream/upstream-breaker'
import type { ImageMaker } from './image-maker.ts'

/** Name of the upstream in messages to callers. */
export const IMAGE_UPSTREAM = 'image upstream'
/** An image takes seconds on a large GPU and minutes on a small one. */
export const IMAGE_TIMEOUT_MS = 110_000
/** Several images at a time; an answer begins when its image is complete. */
export const IMAGE_UPSTREAM_LIMITS = { perHost: 8, idleMs: 30_000 } as const
/** A PNG of 4096 x 4096 in base64, plus the JSON around it. */
export const MAX_ANSWER_BYTES = 100_000_000

export type ImageUpstream = {
  /** Without a trailing slash. */
  readonly url: string
  /** Fetches from the upstream, which may be in a private network; with a timeout long enough for images. */
  readonly fetch: SafeFetch
  readonly key?: string | undefined
  readonly model?: string | undefined
  /** Timeout for an image, ms; default 110,000. */
  readonly timeoutMs?: number
}

/** The problem for a prompt that the upstream rejects. */
export const REFUSED_PROMPT: Problem = {
  code: 'cannot_be_served',
  detail: 'The image upstream rejects this prompt because of its content policy.',
}

/** Circuit breaker for an upstream that fails repeatedly. */
export function withBreaker(maker: Pick<ImageMaker, 'make'>): ImageMaker {
  const breaker = createUpstreamBreaker(IMAGE_UPSTREAM)
  return {
    pauseSeconds: breaker.pauseSeconds,
    make: (order, signal) => breaker.run(() => maker.make(order, signal), signal),
  }
}

/** Tries makers in their order: the next one takes over if one fails or is paused, but not if it rejects the prompt. */
export function firstThatMakes(makers: readonly ImageMaker[]): ImageMaker {
  return {
    pauseSeconds: () => Math.min(...makers.map((maker) => maker.pauseSeconds())),
    async make(order, signal) {
      let failure: unknown
      for (const maker of makers) {
        try {
          return await maker.make(order, signal)
        } catch (error) {
          const isRejected = error instanceof ProblemError && error.problem.code === REFUSED_PROMPT.code
          if (signal.aborted || isRejected) throw error
          failure = error
        }
      }
      throw failure
    },
  }
}

/** @throws ProblemError if it is not base64 */
export function decodeBase64(text: string): Uint8Array {
  const bare = text.replace(/^data:image\/[a-z+.-]+;base64,/, '')
  const bytes = Buffer.from(bare, 'base64')
  if (bytes.length === 0) throw failed('The image upstream answered without an image.')
  return bytes
}

export function failed(detail: string, options?: { cause?: unknown }): ProblemError {
  return new ProblemError({ code: 'upstream_failed', detail }, options)
}
