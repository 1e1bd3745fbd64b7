import type { ImageKind } from '@tollbook/flow/image-kind'
import type { VectorizeOptions } from '@tollbook/vectorize/vectorize'
import type { OutputFormat } from '@tollbook/vectorize/write/write-drawing'

export type VectorizeTask = {
  readonly image: Uint8Array
  readonly kind: ImageKind
  readonly format: OutputFormat
  /** Size of the output relative to the image. */
  readonly scale: number
  /** Smaller and faster, for a preview. */
  readonly isPreview: boolean
  readonly options: VectorizeOptions
}

export type VectorizeResult = {
  readonly output: Uint8Array
  /** Size of the output, in pixels, points or drawing units. */
  readonly width: number
  readonly height: number
  /** `#rrggbb`, in painting order, each once. */
  readonly colours: readonly string[]
  readonly contours: number
  readonly nodes: number
}
