import { json } from '@tollbook/endpoints/answer'
import { type Address, type Call, defineEndpoint } from '@tollbook/endpoints/endpoint'
import { imageAvailability, makePng } from '@tollbook/models/images/make-png'
import { imagePrompt } from '@tollbook/models/images/prompt'
import * as z from 'zod'
import type { InferencePorts } from '../../../../ports.ts'
import { findRefusedFields, type RefusedFields } from '../../../../refused-fields.ts'

/** The sizes of OpenAI's current models; the first is the default. */
const SIZES = ['1024x1024', '1536x1024', '1024x1536'] as const
/** Above the time of an upstream and of the conversion. */
const TIMEOUT_MS = 290_000
const NOT_CONFIGURED = "No model is configured: the operator's file (TOLLBOOK_MODELS_FILE) has no images."

const input = z.object({
  model: z.string().max(200).nullish().describe('Any value; the operator chooses the model.'),
  prompt: imagePrompt,
  size: z
    .enum(['auto', ...SIZES])
    .nullish()
    .describe(`auto: ${SIZES[0]}.`),
  user: z.string().max(512).nullish(),
})

type Input = z.output<typeof input>

const is =
  (...values: readonly unknown[]) =>
  (value: unknown) =>
    values.includes(value)

/** Fields of https://platform.openai.com/docs/api-reference/images/create that are rejected, by name. */
const REFUSED: RefusedFields = {
  n: { reason: 'must be 1: each call pays for one image', isHarmless: is(1) },
  response_format: {
    reason: 'must be b64_json: images are not stored under a URL',
    isHarmless: is('b64_json'),
  },
  output_format: { reason: 'must be png', isHarmless: is('png') },
  output_compression: { reason: 'must be 100: a PNG is lossless', isHarmless: is(100) },
  quality: {
    reason: 'must be auto: each image has one price',
    isHarmless: is('auto', 'standard'),
  },
  background: { reason: 'must be auto', isHarmless: is('auto') },
  moderation: { reason: 'must be auto: the operator chooses', isHarmless: is('auto') },
  style: { reason: 'is not supported: describe it in the prompt' },
  stream: { reason: 'must be false', isHarmless: is(false) },
  partial_images: { reason: 'must be 0', isHarmless: is(0) },
}

export const imageGenerations = defineEndpoint({
  id: 'images.generations',
  method: 'POST',
  effect: 'none',
  path: '/v1/images/generations',
  pricing: { kind: 'exact', priceUsd: '0.07' },
  summary: 'Image from a prompt, for SDKs',
  description:
    'An image generated from a prompt, in the form of the images API: a PNG in base64, square, landscape or portrait, without metadata.',
  input,
  output: z.object({
    created: z.int(),
    data: z
      .array(z.object({ b64_json: z.base64(), revised_prompt: z.string().optional() }))
      .length(1)
      .describe('The prompt as the upstream revised it, if reported.'),
    output_format: z.literal('png'),
    size: z.string(),
  }),
  example: {
    input: { prompt: 'A lighthouse on a cliff at dawn', size: '1536x1024' },
    output: {
      created: 1_795_255_200,
      data: [{ b64_json: 'iVBORw0KGgo=' }],
      output_format: 'png',
      size: '1536x1024',
    },
  },
  limits: { bodyBytes: 65_536, timeoutMs: TIMEOUT_MS },
  dialect: 'chat',
  takesParameter: (name) => Object.hasOwn(REFUSED, name),
  check: (args) => findRefusedFields(args, REFUSED),
  availability: ({ imageMaker }: InferencePorts) => imageAvailability(imageMaker, NOT_CONFIGURED),
  async handle({ input: args, ports, signal, now }: Call<Input, InferencePorts, Address>) {
    const { prompt, size } = args
    const [across = 0, down = 0] = (size && size !== 'auto' ? size : SIZES[0]).split('x').map(Number)
    const order = { prompt, size: { width: across, height: down } }
    const { png, width, height, revisedPrompt } = await makePng(ports, order, signal)
    const image = {
      b64_json: Buffer.from(png).toString('base64'),
      ...(revisedPrompt !== null && { revised_prompt: revisedPrompt }),
    }
    return json({
      created: Math.floor(now.getTime() / 1000),
      data: [image],
      output_format: 'png' as const,
      size: `${width}x${height}`,
    })
  },
})
