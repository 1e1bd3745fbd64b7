/** Sizes that are asked for: of exactly the aspect, near a million pixels, sides a multiple of 8 as diffusion models need. */
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

/** Largest seed that all upstreams take. */
export const MAX_SEED = 4_294_967_295

export type ImageOrder = {
  /** With the style, where one was asked for. */
  readonly prompt: string
  readonly size: ImageSize
  /** 0 to `MAX_SEED`; null where the caller leaves it open. */
  readonly seed: number | null
}

export type MadeImage = {
  /** As it came: a picture of any kind, of about the size. */
  readonly bytes: Uint8Array
  /** What the upstream made of the prompt, where it says so. */
  readonly revisedPrompt: string | null
  /** With which the upstream made it; null where it knows no seeds. */
  readonly seed: number | null
}

export const ENGINES = ['openai', 'automatic1111', 'comfyui'] as const

/** Where pictures are made: an upstream of the operator. */
export interface ImageMaker {
  readonly engine: (typeof ENGINES)[number]
  /** For how long it is left alone because it failed, known without waiting; 0 while it is not. */
  pauseSeconds(): number
  /**
   * @throws ProblemError `cannot_be_served` where the upstream refuses the prompt, `unavailable` where it takes no
   * more requests, `upstream_timeout`, `upstream_failed`; none is charged.
   */
  make(order: ImageOrder, signal: AbortSignal): Promise<MadeImage>
}
