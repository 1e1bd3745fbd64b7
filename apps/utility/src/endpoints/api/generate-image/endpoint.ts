import { bytes, json } from '@tollbook/endpoints/answer'
import { type Address, type Call, defineEndpoint } from '@tollbook/endpoints/endpoint'
import { ASPECT_SIZES, ASPECTS } from '@tollbook/models/images/image-maker'
import { imageAvailability, makePng } from '@tollbook/models/images/make-png'
import { imagePrompt } from '@tollbook/models/images/prompt'
import * as z from 'zod'
import type { UtilityPorts } from '../../../ports.ts'

const NOT_CONFIGURED = 'No image upstream is configured (setting TOLLBOOK_IMAGE_URL).'

/** Two by two pixels; real images have a million. */
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAAEUlEQVQImWPgL8vjL8tjgFAAGSYDzSYWa8wAAAAASUVORK5CYII='

/** A request and its answer. */
const GENERATE_IMAGE_EXAMPLE = {
  input: { prompt: 'A lighthouse on a cliff at dawn', style: 'watercolour' },
  output: {
    prompt: 'A lighthouse on a cliff at dawn',
    revised_prompt: null,
    aspect: '1:1' as const,
    width: 2,
    height: 2,
    content_type: 'image/png' as const,
    image_base64: PNG,
    data_uri: `data:image/png;base64,${PNG}`,
    ts: '2026-11-21T10:00:00.000Z',
  },
}

const input = z.object({
  prompt: imagePrompt,
  aspect: z
    .enum(ASPECTS)
    .default('1:1')
    .describe('Ratio of width to height; the image has exactly this ratio.'),
  style: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .optional()
    .describe('Such as watercolour; appended to the prompt.'),
  raw: z.stringbool().default(false).describe('1 returns the PNG itself with x-image-* headers.'),
})

type Input = z.output<typeof input>

export const generateImage = defineEndpoint({
  id: 'generate-image',
  method: 'POST',
  effect: 'none',
  path: '/api/generate-image',
  pricing: { kind: 'exact', priceUsd: '0.07' },
  summary: 'Image from a prompt',
  description:
    'An image generated from a prompt, in seven aspect ratios from 9:16 to 16:9, as PNG without metadata: base64 in JSON, or the bytes with raw=1. Uses the upstream that the operator configured; 503 before payment if there is none.',
  input,
  output: z.object({
    prompt: z.string(),
    revised_prompt: z.string().nullable().describe('The prompt as the upstream revised it, if reported.'),
    aspect: z.enum(ASPECTS),
    width: z.int(),
    height: z.int(),
    content_type: z.literal('image/png'),
    image_base64: z.base64(),
    data_uri: z.string(),
    ts: z.iso.datetime(),
  }),
  example: GENERATE_IMAGE_EXAMPLE,
  limits: { bodyBytes: 65_536, timeoutMs: 150_000 },
  availability: ({ imageMaker }: UtilityPorts) => imageAvailability(imageMaker, NOT_CONFIGURED),
  async handle({ input: args, ports, signal, now }: Call<Input, UtilityPorts, Address>) {
    const { prompt, aspect, style, raw } = args
    const words = style === undefined ? prompt : `${prompt}\nStyle: ${style}`
    const order = { prompt: words, size: ASPECT_SIZES[aspect] }
    const { png, width, height, revisedPrompt } = await makePng(ports, order, signal)
    if (raw)
      return bytes(png, 'image/png', {
        headers: { 'x-image-width': `${width}`, 'x-image-height': `${height}` },
      })
    const base64 = Buffer.from(png).toString('base64')
    return json({
      prompt,
      revised_prompt: revisedPrompt,
      aspect,
      width,
      height,
      content_type: 'image/png' as const,
      image_base64: base64,
      data_uri: `data:image/png;base64,${base64}`,
      ts: now.toISOString(),
    })
  },
})
