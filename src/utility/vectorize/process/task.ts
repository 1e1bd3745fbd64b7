import type { PictureKind } from '../../../engines/vectorize/decode/picture-kind.ts'
import type { VectorizeOptions } from '../../../engines/vectorize/vectorize.ts'
import type { OutputFormat } from '../../../engines/vectorize/write/write-drawing.ts'

/** What a process is to do with one picture. */
export type VectorizeTask = {
  readonly picture: Uint8Array
  readonly kind: PictureKind
  readonly format: OutputFormat
  /** Of the output to the picture. */
  readonly scale: number
  /** Smaller and quicker, to look at. */
  readonly isPreview: boolean
  readonly options: VectorizeOptions
}

export type VectorizeResult = {
  readonly output: Uint8Array
  /** Of the output, in pixels, points or drawing units. */
  readonly width: number
  readonly height: number
  /** `#rrggbb`, in painting order, each once. */
  readonly colours: readonly string[]
  readonly contours: number
  readonly nodes: number
}

/** What the process says. */
export type VectorizeReply =
  | { readonly result: VectorizeResult }
  /** What is wrong with the picture, in words for the caller. */
  | { readonly refusal: string }
  /** What went wrong otherwise, in words for the log. */
  | { readonly failure: string }
