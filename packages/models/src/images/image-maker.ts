/**
 * Requested sizes: exactly the aspect ratio, about a million pixels, sides a multiple of 8 as diffusion
 * models need.
 */
export const ASPECT_SIZES = {
  '1:1': { width: 1024, height: 1024 },
  '3:2': { width: 1248, height: 832 },
  '2:3': { width: 832, height: 1248 },
  '4:3': { width: 1152, height: 864 },
  '3:4': { width: 864, height: 1152 },
  '16:9': { width: 1280, height: 720 },
  '9:16': { width: 720, height: 1280 },
} as const

export type Aspect = keyof typeof ASPECT_SIZES
export const ASPECTS = ['1:1', '3:2', '2:3', '4:3', '3:4', '16:9', '9:16'] as const satisfies Aspect[]

export type ImageSize = { readonly width: number; readonly height: number }

export type ImageOrder = {
  /** Includes the style, if requested. */
  readonly prompt: string
  readonly size: ImageSize
}

export type MadeImage = {
  /** As received: an image of any type, of about the requested size. */
  readonly bytes: Uint8Array
  /** The upstream's revision of the prompt, if reported. */
  readonly revisedPrompt: string | null
}

/** Generates images with an upstream of the operator. */
export interface ImageMaker {
  /** How long the circuit breaker stays open after failures, ms, without waiting; 0 while it is closed. */
  pauseSeconds(): number
  /**
   * @throws ProblemError `cannot_be_served` if the upstream rejects the prompt, `unavailable` if it accepts
   * no more requests, `upstream_timeout`, `upstream_failed`; none is charged.
   */
  make(order: ImageOrder, signal: AbortSignal): Promise<MadeImage>
}
