import { json } from '@tollbook/endpoints/answer'
import { type Address, type Call, defineEndpoint } from '@tollbook/endpoints/endpoint'
import { findImageKind, type ImageKind } from '@tollbook/flow/image-kind'
import { ProblemError } from '@tollbook/http/problem'
import type { FetchedAnswer } from '@tollbook/safe-fetch/fetched-answer'
import { decodeAll } from '@tollbook/vectorize/decode/base64-image'
import { CONTENT_TYPES, OUTPUT_FORMATS } from '@tollbook/vectorize/write/write-drawing'
import * as z from 'zod'
import { toFetchProblem } from '../../../page/fetch-problem.ts'
import { pageUrl } from '../../../page/read-page.ts'
import type { UtilityPorts } from '../../../ports.ts'
import { findInputIssues, type ImageInput, MAX_IMAGE_BYTES, readPalette } from './find-input-issues.ts'

type GivenImage = { readonly source: string; readonly bytes: Uint8Array; readonly kind: ImageKind }

const FETCH_TIMEOUT_MS = 15_000

/** A request and its answer; the image is a disc on white, 64 pixels wide. */
const EXAMPLE = {
  input: { url: 'https://example.com/logo.png' },
  output: {
    source: 'https://example.com/logo.png',
    output_format: 'svg' as const,
    content_type: 'image/svg+xml',
    width: 64,
    height: 64,
    colors: ['#ffffff', '#0f766e'],
    paths: 2,
    nodes: 8,
    input_bytes: 909,
    output_bytes: 298,
    svg: '<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64" viewBox="0 0 64 64"><path fill="#ffffff" d="M0 0h64v64h-64z"/><path fill="#0f766e" d="M28.36 8.29c14.39-2.47 27.64 9.3 27.64 23.71 0 13.21-11.21 24.42-24.52 24.01-12.98-.4-23.48-10.94-23.48-24.01 0-12.01 8.69-21.7 20.36-23.71z"/></svg>',
    engine: 'tollbook' as const,
    duration_ms: 640,
    ts: '2026-11-21T10:00:00.000Z',
  },
}

const input = z.object({
  url: pageUrl.optional().describe('Public http(s) URL of the image; either this or image_base64.'),
  image_base64: z
    .string()
    .min(1)
    .optional()
    .describe('The image in base64, or as a data: URI: PNG, JPEG, GIF, BMP or WebP, up to 10 MB.'),
  output_format: z
    .enum(OUTPUT_FORMATS)
    .default('svg')
    .describe('Output format; png is rendered from the vectors.'),
  mode: z
    .enum(['production', 'preview'])
    .default('production')
    .describe('preview traces at most 0.16 megapixels, production 1.5.'),
  max_colors: z
    .int()
    .min(0)
    .max(256)
    .default(16)
    .describe('Maximum number of colours, including the background; 0 uses up to 64, as the image needs.'),
  palette: z
    .array(z.string().trim().max(50))
    .min(1)
    .max(255)
    .optional()
    .describe('Colours to use instead of the image’s own, hex or another CSS form.'),
  min_area_px: z
    .number()
    .min(0)
    .max(1_000_000)
    .optional()
    .describe('Smaller areas merge into a neighbour; defaults to 2 pixels, in photos to 25 per million.'),
  scale: z.number().min(0.01).max(100).default(1).describe('Output size relative to the image.'),
  background: z
    .enum(['keep', 'remove'])
    .default('keep')
    .describe('remove drops a background of one colour around the image.'),
})

type VectorizeInput = z.output<typeof input>

const output = z.object({
  source: z.string().describe('The URL of the image, after redirects, or image_base64.'),
  output_format: z.enum(OUTPUT_FORMATS),
  content_type: z.string(),
  width: z.number().describe('Unit of the output: pixels, in PDF and EPS points, in DXF drawing units.'),
  height: z.number(),
  colors: z.array(z.string()).describe('In painting order.'),
  paths: z.int().describe('Closed contours.'),
  nodes: z.int().describe('Points on the paths; control points are not counted.'),
  input_bytes: z.int(),
  output_bytes: z.int(),
  svg: z.string().optional().describe('For the format svg.'),
  data_base64: z.base64().optional().describe('For the other formats.'),
  engine: z.literal('tollbook'),
  duration_ms: z.int().describe('From the image to the output.'),
  ts: z.iso.datetime(),
})

export const vectorize = defineEndpoint({
  id: 'vectorize',
  method: 'POST',
  effect: 'none',
  path: '/api/vectorize',
  pricing: { kind: 'exact', priceUsd: '0.02' },
  summary: 'Image to vector graphics',
  description:
    'An image (PNG, JPEG, GIF, BMP or WebP by URL or base64, up to 10 MB) traced into lines and curves: SVG, PDF, EPS, DXF, or PNG at another size. Logos keep exact colours and borders; photos become areas of up to 256 colours.',
  input,
  output,
  example: EXAMPLE,
  // 10 MB are 13,981,016 characters of base64.
  limits: { bodyBytes: 14_100_000, timeoutMs: 45_000 },
  check: findInputIssues,
  async handle(call: Call<VectorizeInput, UtilityPorts, Address>) {
    const { output_format, mode, max_colors, palette, min_area_px, scale, background } = call.input
    const image = await readImage(call)
    const startedMs = performance.now()
    const result = await call.ports.vectorizer.run(
      {
        image: image.bytes,
        kind: image.kind,
        format: output_format,
        scale,
        isPreview: mode === 'preview',
        options: {
          maxColours: max_colors,
          palette: palette ? readPalette(palette) : null,
          minAreaPx: min_area_px ?? null,
          removesBackground: background === 'remove',
        },
      },
      call.signal,
    )
    const bytes = Buffer.from(result.output)
    return json({
      source: image.source,
      output_format,
      content_type: CONTENT_TYPES[output_format],
      width: result.width,
      height: result.height,
      colors: [...result.colours],
      paths: result.contours,
      nodes: result.nodes,
      input_bytes: image.bytes.byteLength,
      output_bytes: bytes.length,
      ...(output_format === 'svg' ? { svg: bytes.toString() } : { data_base64: bytes.toString('base64') }),
      engine: 'tollbook' as const,
      duration_ms: Math.round(performance.now() - startedMs),
      ts: call.now.toISOString(),
    })
  },
})

/** The image of a request, from its arguments or from its URL. @throws ProblemError; none is charged */
async function readImage(
  call: Pick<Call<ImageInput, UtilityPorts, Address>, 'input' | 'ports' | 'payer' | 'signal'>,
): Promise<GivenImage> {
  const { url = '', image_base64 } = call.input
  const { source, bytes } =
    image_base64 === undefined
      ? await fetchImage(url, call)
      : { source: 'image_base64', bytes: decodeAll(image_base64) }
  const kind = findImageKind(bytes)
  if (kind) return { source, bytes, kind }
  const detail = 'The response of the URL is not a PNG, JPEG, GIF, BMP or WebP image.'
  throw new ProblemError({ code: 'cannot_be_served', detail })
}

async function fetchImage(
  url: string,
  { ports, payer, signal }: Pick<Call<unknown, UtilityPorts, Address>, 'ports' | 'payer' | 'signal'>,
) {
  let answer: FetchedAnswer
  try {
    answer = await ports.fetch(url, {
      payer,
      signal,
      maxBytes: MAX_IMAGE_BYTES,
      timeoutMs: FETCH_TIMEOUT_MS,
      accept: 'image/png, image/jpeg, image/webp, image/gif, image/bmp',
    })
  } catch (error) {
    signal.throwIfAborted()
    throw toFetchProblem(error, 'url')
  }
  const { status } = answer
  if (status >= 400) {
    const members = { target_status: status }
    throw new ProblemError({
      code: 'upstream_failed',
      detail: `The image's host responded with ${status}.`,
      members,
    })
  }
  return { source: answer.url, bytes: answer.body }
}
