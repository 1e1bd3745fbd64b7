import { decodeImage, restrictLoaders, Undecodable } from '@tollbook/vectorize/decode/decode-image'
import { isLossy } from '@tollbook/vectorize/decode/is-lossy'
import { countNodes } from '@tollbook/vectorize/image'
import { vectorize } from '@tollbook/vectorize/vectorize'
import { toHexColour } from '@tollbook/vectorize/write/svg'
import { writeDrawing } from '@tollbook/vectorize/write/write-drawing'
import { Refusal, serveEngine } from '@tollbook/workers/serve-engine'
import type { VectorizeResult, VectorizeTask } from './task.ts'

/** Larger images are traced at this size and rendered at their own. */
const MAX_PIXELS = 1_500_000
const MAX_PREVIEW_PIXELS = 160_000
/** Maximum side of rendered pixels. */
const MAX_PNG_SIDE = 8192
/** Sides are rounded to whole pixels; a written size has two decimals. */
const MIN_PNG_SIDE = 0.51

// The process for one image.
restrictLoaders()
serveEngine(async () => ({ about: null, run: (task) => runTask(task as VectorizeTask) }))

/** Decodes, traces and writes one image. */
async function runTask(task: VectorizeTask): Promise<VectorizeResult> {
  const { image, kind, format, scale, isPreview, options } = task
  const maxPixels = isPreview ? MAX_PREVIEW_PIXELS : MAX_PIXELS
  try {
    const decoded = await decodeImage(image, kind, maxPixels)
    const longest = Math.max(decoded.width, decoded.height) * scale
    if (format === 'png' && longest > MAX_PNG_SIDE)
      throw new Refusal(`the PNG would be ${Math.ceil(longest)} pixels long (limit ${MAX_PNG_SIDE})`)
    if (format === 'png' && Math.min(decoded.width, decoded.height) * scale < MIN_PNG_SIDE)
      throw new Refusal('the PNG would have no pixels (increase scale)')
    const shrink = decoded.bitmap.width / decoded.width
    const min = options.minAreaPx === null ? null : options.minAreaPx * shrink * shrink
    const drawing = vectorize(decoded.bitmap, { ...options, minAreaPx: min, isLossy: isLossy(image, kind) })
    const outputScale = scale / shrink
    return {
      output: writeDrawing(drawing, format, outputScale),
      width: round(decoded.width * scale),
      height: round(decoded.height * scale),
      colours: [...new Set(drawing.layers.map(({ colour }) => toHexColour(colour)))],
      contours: drawing.layers.reduce((sum, { contours }) => sum + contours.length, 0),
      nodes: countNodes(drawing),
    }
  } catch (error) {
    throw error instanceof Undecodable ? new Refusal(error.message) : error
  }
}

function round(size: number): number {
  return Math.round(size * 100) / 100
}
