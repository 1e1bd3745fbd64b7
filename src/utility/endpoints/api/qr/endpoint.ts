import * as z from 'zod'
import { json } from '../../../../catalogue/answer.ts'
import { defineEndpoint } from '../../../../catalogue/endpoint.ts'
import type { Colour } from '../../../../engines/colour/colour.ts'
import { parseColour } from '../../../../engines/colour/parse-colour.ts'
import type { Fault } from '../../../../http/problem.ts'
import { QR_EXAMPLE } from './example.ts'
import { findWarnings } from './find-warnings.ts'
import { buildQrMatrix, countModules, findOverflow, type QrContent } from './qr-matrix.ts'
import { renderPng } from './render-png.ts'
import { renderSvg } from './render-svg.ts'

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
  eci: z
    .boolean()
    .default(true)
    .describe(
      'Whether text beyond ASCII is marked as UTF-8 (ECI 26); false for readers that reject the mark.',
    ),
})

type Input = z.output<typeof input>

/**
 * Issues of well-formed options: invalid colours, text too long for any symbol, and sizes too small for the
 * symbol.
 */
function findFaults({ data, size, margin, ecc, dark, light, eci }: Input): readonly Fault[] {
  const colours = Object.entries({ dark, light })
    .filter(([, text]) => parseColour(text) === null)
    .map(([parameter, text]) => ({
      parameter,
      detail: `${JSON.stringify(text)} is not a colour (expected #rgb, #rrggbb or #rrggbbaa)`,
    }))
  return [...colours, ...findTextFaults({ text: data, ecc, eci }, { size, margin })]
}

function findTextFaults(
  content: QrContent,
  { size, margin }: { readonly size: number; readonly margin: number },
): readonly Fault[] {
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

function readColour(text: string): Colour {
  const parsed = parseColour(text)
  if (!parsed) throw new TypeError(`unreachable: the colour passed validation but cannot be read: ${text}`)
  return parsed
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
  // 2953 bytes of text are at most 8859 bytes of escaped JSON.
  limits: { bodyBytes: 16_384, timeoutMs: 2000 },
  check: findFaults,
  handle({ input: { data, size, margin, ecc, dark, light, eci }, now }) {
    const matrix = buildQrMatrix({ text: data, ecc, eci })
    const style = { size, margin, dark: readColour(dark), light: readColour(light) }
    const png = Buffer.from(renderPng(matrix, style)).toString('base64')
    return json({
      data,
      version: matrix.version,
      ecc,
      modules: matrix.modules,
      size,
      margin,
      svg: renderSvg(matrix, style),
      png_base64: png,
      data_uri: `data:image/png;base64,${png}`,
      warnings: [...findWarnings(matrix.modules, style)],
      ts: now.toISOString(),
    })
  },
})
