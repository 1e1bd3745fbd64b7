import { type Colour, composite, WHITE } from '@tollbook/a11y/colour/colour'
import { contrastRatio, relativeLuminance } from '@tollbook/a11y/colour/contrast-ratio'
import { parseColour, readColour } from '@tollbook/a11y/colour/parse-colour'
import { json } from '@tollbook/endpoints/answer'
import { type Address, type Call, defineEndpoint } from '@tollbook/endpoints/endpoint'
import type { Issue } from '@tollbook/http/problem'
import * as z from 'zod'
import type { UtilityPorts } from '../../../ports.ts'
import { buildQrMatrix, countModules, findOverflow, type QrContent } from './qr-matrix.ts'
import { pixelsPerModule, renderPng } from './render-png.ts'
import { type QrStyle, renderSvg } from './render-svg.ts'

/** A module takes at least one pixel, and the smallest symbol has 21 modules (version 1). */
const MIN_SIZE = 21
/** Chosen: enough for print (35 cm at 300 dpi), and encoded within the limits below. */
const MAX_SIZE = 4096

const input = z.object({
  data: z
    .string()
    .min(1)
    .describe(
      'Text or URL to encode: up to 2953 bytes of UTF-8, 4296 letters or 7089 digits, depending on ecc.',
    ),
  size: z.coerce
    .number()
    .int()
    .min(MIN_SIZE)
    .max(MAX_SIZE)
    .default(512)
    .describe('Width and height in pixels.'),
  margin: z.coerce.number().int().min(0).max(64).default(2).describe('Width of the quiet zone in modules.'),
  ecc: z.enum(['L', 'M', 'Q', 'H']).default('M').describe('Error correction level: about 7, 15, 25 or 30 %.'),
  dark: z
    .string()
    .trim()
    .max(100)
    .default('#000000')
    .describe('Colour of dark modules, hex or another CSS form.'),
  light: z
    .string()
    .trim()
    .max(100)
    .default('#ffffff')
    .describe('Colour of light modules; transparent is accepted.'),
})

type Input = z.output<typeof input>

/** A request and its answer; a test compares them. */
const QR_EXAMPLE = {
  input: { data: 'HELLO', size: 128, margin: 4 },
  output: {
    data: 'HELLO',
    version: 1,
    ecc: 'M' as const,
    modules: 21,
    size: 128,
    margin: 4,
    svg: '<svg xmlns="http://www.w3.org/2000/svg" width="128" height="128" viewBox="0 0 29 29" shape-rendering="crispEdges"><rect width="29" height="29" fill="#ffffff"/><path fill="#000000" d="M4 4h7v1h-7zM12 4h1v1h-1zM16 4h1v1h-1zM18 4h7v1h-7zM4 5h1v1h-1zM10 5h1v1h-1zM12 5h2v1h-2zM15 5h1v1h-1zM18 5h1v1h-1zM24 5h1v1h-1zM4 6h1v1h-1zM6 6h3v1h-3zM10 6h1v1h-1zM12 6h1v1h-1zM16 6h1v1h-1zM18 6h1v1h-1zM20 6h3v1h-3zM24 6h1v1h-1zM4 7h1v1h-1zM6 7h3v1h-3zM10 7h1v1h-1zM13 7h4v1h-4zM18 7h1v1h-1zM20 7h3v1h-3zM24 7h1v1h-1zM4 8h1v1h-1zM6 8h3v1h-3zM10 8h1v1h-1zM12 8h3v1h-3zM16 8h1v1h-1zM18 8h1v1h-1zM20 8h3v1h-3zM24 8h1v1h-1zM4 9h1v1h-1zM10 9h1v1h-1zM14 9h3v1h-3zM18 9h1v1h-1zM24 9h1v1h-1zM4 10h7v1h-7zM12 10h1v1h-1zM14 10h1v1h-1zM16 10h1v1h-1zM18 10h7v1h-7zM13 11h1v1h-1zM15 11h2v1h-2zM4 12h1v1h-1zM7 12h6v1h-6zM14 12h1v1h-1zM16 12h2v1h-2zM20 12h1v1h-1zM22 12h3v1h-3zM6 13h2v1h-2zM11 13h1v1h-1zM14 13h1v1h-1zM16 13h1v1h-1zM18 13h1v1h-1zM20 13h4v1h-4zM4 14h3v1h-3zM8 14h1v1h-1zM10 14h3v1h-3zM17 14h2v1h-2zM20 14h1v1h-1zM6 15h1v1h-1zM8 15h2v1h-2zM14 15h2v1h-2zM21 15h1v1h-1zM5 16h2v1h-2zM10 16h1v1h-1zM12 16h1v1h-1zM18 16h1v1h-1zM21 16h4v1h-4zM12 17h5v1h-5zM19 17h1v1h-1zM21 17h1v1h-1zM4 18h7v1h-7zM12 18h1v1h-1zM14 18h1v1h-1zM16 18h5v1h-5zM22 18h3v1h-3zM4 19h1v1h-1zM10 19h1v1h-1zM12 19h1v1h-1zM15 19h3v1h-3zM19 19h3v1h-3zM4 20h1v1h-1zM6 20h3v1h-3zM10 20h1v1h-1zM12 20h1v1h-1zM14 20h3v1h-3zM18 20h2v1h-2zM21 20h2v1h-2zM24 20h1v1h-1zM4 21h1v1h-1zM6 21h3v1h-3zM10 21h1v1h-1zM12 21h5v1h-5zM20 21h3v1h-3zM4 22h1v1h-1zM6 22h3v1h-3zM10 22h1v1h-1zM14 22h1v1h-1zM18 22h1v1h-1zM21 22h4v1h-4zM4 23h1v1h-1zM10 23h1v1h-1zM13 23h2v1h-2zM17 23h2v1h-2zM20 23h1v1h-1zM22 23h2v1h-2zM4 24h7v1h-7zM12 24h1v1h-1zM15 24h1v1h-1zM22 24h2v1h-2z"/></svg>',
    png_base64:
      'iVBORw0KGgoAAAANSUhEUgAAAIAAAACAAQMAAAD58POIAAAABlBMVEX///8AAABVwtN+AAAAsUlEQVR42u3UQQrEMAgFUMFrCV79g9cS/mCmk06WMTCzqRRK30Jav6nIU38pJRnQIIk2QDTS6taHYFTTYBwBnMdQ1xHUV2k9aR9qyNVzmfoejDLHmvgeKLy6psYMextEU0zrzVK6oDVjiAekDbVy1VjsABw6UvLPxzXgHRbM1oO4A1fYZKzpb0EdQnj6HHoDrs1P/z4NDSChc196AMU95A6MkOARKW0YP0cbC9yFp35eL8qbGnv9FuqNAAAAAElFTkSuQmCC',
    data_uri:
      'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAIAAAACAAQMAAAD58POIAAAABlBMVEX///8AAABVwtN+AAAAsUlEQVR42u3UQQrEMAgFUMFrCV79g9cS/mCmk06WMTCzqRRK30Jav6nIU38pJRnQIIk2QDTS6taHYFTTYBwBnMdQ1xHUV2k9aR9qyNVzmfoejDLHmvgeKLy6psYMextEU0zrzVK6oDVjiAekDbVy1VjsABw6UvLPxzXgHRbM1oO4A1fYZKzpb0EdQnj6HHoDrs1P/z4NDSChc196AMU95A6MkOARKW0YP0cbC9yFp35eL8qbGnv9FuqNAAAAAElFTkSuQmCC',
    warnings: [],
    ts: '2026-11-21T10:00:00.000Z',
  },
}

/** ISO/IEC 18004 section 5.3.8 requires a quiet zone of four modules. */
const STANDARD_MARGIN = 4
/** Below this, cameras cannot distinguish dark from light (the ratio of WCAG 2.2 for graphics). */
const MIN_CONTRAST = 3
/**
 * Below this, a code is refused. Of 60 pairs of greys, jsQR, ZXing and the decoder of `qr` all read each from 2.01:1 on;
 * at 1.77:1 on light grey two of the three read none.
 */
const MIN_READABLE_CONTRAST = 2
/** At one pixel per module jsQR still reads every code, but zbar misses about half of version 40. */
const MIN_PIXELS = 2

/** Issues of well-formed options: invalid colours, text too long for any symbol, and sizes too small for the symbol. */
function findIssues({ data, size, margin, ecc, dark, light }: Input): readonly Issue[] {
  const colours = Object.entries({ dark, light })
    .filter(([, text]) => parseColour(text) === null)
    .map(([parameter, text]) => ({
      parameter,
      detail: `${JSON.stringify(text)} is not a colour (expected #rgb, #rrggbb or #rrggbbaa)`,
    }))
  const contrast = colours.length > 0 ? null : findLowContrast(readColour(dark), readColour(light))
  return [
    ...colours,
    ...(contrast ? [contrast] : []),
    ...findTextIssues({ text: data, ecc }, { size, margin }),
  ]
}

/** What a translucent light lies on is not known, so its contrast only causes a warning. */
function findLowContrast(dark: Colour, light: Colour): Issue | null {
  if (light.alpha < 1) return null
  const ratio = contrastRatio(composite(dark, light), light)
  if (ratio >= MIN_READABLE_CONTRAST) return null
  return {
    parameter: 'dark',
    detail: `has a contrast of ${ratio.toFixed(2)}:1 to light, which readers cannot decode (minimum ${MIN_READABLE_CONTRAST}:1): choose a darker dark or a lighter light`,
    code: 'cannot_be_served',
  }
}

function findTextIssues(
  content: QrContent,
  { size, margin }: { readonly size: number; readonly margin: number },
): readonly Issue[] {
  if (!content.text.isWellFormed())
    return [{ parameter: 'data', detail: 'has an unpaired surrogate, which UTF-8 cannot encode' }]
  const overflow = findOverflow(content)
  if (overflow) return [{ parameter: 'data', detail: overflow, code: 'cannot_be_served' }]
  const side = countModules(content) + 2 * margin
  if (size >= side) return []
  return [
    {
      parameter: 'size',
      detail: `is ${size} pixels, but the code is ${side} modules wide including its margin (minimum ${side})`,
      code: 'cannot_be_served',
    },
  ]
}

export const qr = defineEndpoint({
  id: 'qr',
  method: 'GET',
  path: '/api/qr',
  pricing: { kind: 'exact', priceUsd: '0.01' },
  summary: 'QR code',
  description:
    'A text or URL as a QR code: SVG, PNG of exactly the requested size (base64) and data: URI. Options: size in pixels, margin in modules, error correction L, M, Q or H, dark and light colours (also transparent).',
  input,
  output: z.object({
    data: z.string(),
    version: z.int().min(1).max(40),
    ecc: z.enum(['L', 'M', 'Q', 'H']),
    modules: z.int().describe('Modules per side, without the quiet zone.'),
    size: z.int().describe('Pixels per side of the PNG; width and height of the SVG.'),
    margin: z.int().describe('Quiet zone of the SVG in modules; the PNG has at least as many.'),
    svg: z.string(),
    png_base64: z.base64(),
    data_uri: z.string().describe('The PNG as a data: URI.'),
    warnings: z.array(z.string()).describe('What may prevent a reader from decoding the code.'),
    ts: z.iso.datetime(),
  }),
  example: QR_EXAMPLE,
  formerDefaults: { style: 'square', eci: true },
  // 2953 bytes of text are at most 8859 bytes of escaped JSON.
  limits: { bodyBytes: 16_384, timeoutMs: 15_000 },
  check: findIssues,
  handle({ input: args, now }: Call<Input, UtilityPorts, Address>) {
    const { data, size, margin, ecc } = args
    const style = { size, margin, dark: readColour(args.dark), light: readColour(args.light) }
    const matrix = buildQrMatrix({ text: data, ecc })
    const base64 = Buffer.from(renderPng(matrix, style)).toString('base64')
    return json({
      data,
      version: matrix.version,
      ecc,
      modules: matrix.modules,
      size,
      margin,
      svg: renderSvg(matrix, style),
      png_base64: base64,
      data_uri: `data:image/png;base64,${base64}`,
      warnings: [...findWarnings(matrix.modules, style)],
      ts: now.toISOString(),
    })
  },
})

/** What may prevent a reader from decoding a code that is correct. */
function findWarnings(modules: number, style: QrStyle): readonly string[] {
  const light = composite(style.light, WHITE)
  const dark = composite(style.dark, light)
  const ratio = contrastRatio(dark, light)
  const scale = pixelsPerModule(modules, style)
  const warnings: string[] = []
  if (relativeLuminance(dark) > relativeLuminance(light))
    warnings.push('dark is lighter than light: many readers do not read inverted codes')
  if (ratio < MIN_CONTRAST)
    warnings.push(
      `the contrast of dark and light is ${ratio.toFixed(2)}:1: readers need about ${MIN_CONTRAST}:1`,
    )
  if (style.light.alpha < 1) warnings.push('light is not opaque: place the code on a light surface')
  if (style.margin < STANDARD_MARGIN)
    warnings.push(
      `margin is ${style.margin}: ISO/IEC 18004 requires ${STANDARD_MARGIN} modules, so keep the surroundings light`,
    )
  if (scale < MIN_PIXELS)
    warnings.push(
      `a module of the PNG is ${scale} pixel wide: some readers need ${MIN_PIXELS}, so request a larger size`,
    )
  return warnings
}
