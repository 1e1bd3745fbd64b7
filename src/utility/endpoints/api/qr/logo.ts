import {
  decodeAll,
  decodedBytes,
  decodeHead,
  isBase64,
} from '../../../../engines/vectorize/decode/base64-image.ts'
import { findImageKind } from '../../../../engines/vectorize/decode/image-kind.ts'
import type { Fault } from '../../../../http/problem.ts'
import { defineJob } from '../../../../workers/job.ts'
import type { UtilityPorts } from '../../../ports.ts'
import type { QrMatrix } from './qr-matrix.ts'

const MAX_LOGO_BYTES = 64 * 1024
/** Characters of base64, with room for the head of a data: URI. */
export const MAX_LOGO_LENGTH = 4 * Math.ceil(MAX_LOGO_BYTES / 3) + 400
/**
 * Side of the logo's area, as a share of the symbol's side: a twentieth of the modules. Level H corrects about 30 % of
 * the codewords; the modules of the area belong to more than a twentieth of them.
 */
const SHARE = 0.22
/** Light modules around the logo. */
const PADDING = 0.5
const MAX_COLOURS = 64

export const drawJob = defineJob<typeof import('./draw-qr.ts').drawQr>({
  module: new URL('./draw-qr.ts', import.meta.url),
  name: 'drawQr',
  deadlineMs: 10_000,
})

export type Logo = { readonly svg: string; readonly width: number; readonly height: number }

export function findLogoFaults(logo: string | undefined): readonly Fault[] {
  if (logo === undefined) return []
  const parameter = 'logo'
  if (!isBase64(logo)) return [{ parameter, detail: 'is neither base64 nor a data: URI in base64' }]
  if (decodedBytes(logo) > MAX_LOGO_BYTES)
    return [{ parameter, detail: `has more than ${MAX_LOGO_BYTES} bytes`, code: 'too_large' }]
  if (findImageKind(decodeHead(logo))) return []
  const detail = 'has an unsupported image type (expected PNG, JPEG, GIF, BMP or WebP)'
  return [{ parameter, detail, code: 'unsupported_media_type' }]
}

/**
 * Traces a logo, in the process that reads images of callers, so that it is sharp at every size.
 * @throws ProblemError if the image cannot be read.
 */
export async function traceLogo(
  logo: string,
  { vectorizer }: Pick<UtilityPorts, 'vectorizer'>,
  signal: AbortSignal,
): Promise<Logo> {
  const kind = findImageKind(decodeHead(logo))
  if (!kind) throw new TypeError('unreachable: the logo was checked')
  const options = { maxColours: MAX_COLOURS, palette: null, minAreaPx: null, removesBackground: false }
  const task = { image: decodeAll(logo), kind, format: 'svg', scale: 1, isPreview: true, options } as const
  const { output, width, height } = await vectorizer.run(task, signal)
  return { svg: Buffer.from(output).toString(), width, height }
}

/** First module and number of modules of the square that a logo takes in the middle. */
function logoArea({ modules }: Pick<QrMatrix, 'modules'>): { readonly from: number; readonly side: number } {
  const side = 2 * Math.floor((modules * SHARE) / 2) + 1
  return { from: (modules - side) / 2, side }
}

/** The symbol with light modules where its logo will be. */
export function clearForLogo(matrix: QrMatrix): QrMatrix {
  const { from, side } = logoArea(matrix)
  const isInside = (at: number) => at >= from && at < from + side
  const rows = matrix.rows.map((row, y) => row.map((isDark, x) => isDark && !(isInside(x) && isInside(y))))
  return { ...matrix, rows }
}

/** Puts a logo into the middle of a symbol's SVG, as large as fits, in its proportions. */
export function placeLogo(
  qrSvg: string,
  { svg, width, height }: Logo,
  place: { readonly modules: number; readonly margin: number },
): string {
  const { from, side } = logoArea(place)
  const at = place.margin + from + PADDING
  const room = side - 2 * PADDING
  const frame = `x="${at}" y="${at}" width="${room}" height="${room}" viewBox="0 0 ${width} ${height}" shape-rendering="auto"`
  const inner = svg.replace(/^<svg [^>]*>/, `<svg ${frame}>`)
  return qrSvg.replace(/<\/svg>$/, `${inner}</svg>`)
}
