import { parseJson } from '@tollbook/flow/parse-json'
import type { Problem } from '@tollbook/http/problem'
import type { FetchedAnswer } from '@tollbook/safe-fetch/fetched-answer'
import type { SafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import { askUpstream, askUpstreamJson } from '@tollbook/upstream/ask-upstream'
import * as z from 'zod'
import type { ImageMaker, ImageSize } from './image-maker.ts'
import {
  decodeBase64,
  failed,
  IMAGE_TIMEOUT_MS,
  IMAGE_UPSTREAM,
  type ImageUpstream,
  MAX_ANSWER_BYTES,
  REFUSED_PROMPT,
} from './upstream.ts'

/** https://platform.openai.com/docs/api-reference/images/create; LocalAI and others answer in the same format. */
const answerSchema = z.object({
  data: z
    .array(
      z.object({
        b64_json: z.string().nullish(),
        url: z.string().nullish(),
        revised_prompt: z.string().nullish(),
      }),
    )
    .min(1),
})

const errorSchema = z.object({ error: z.object({ code: z.string().nullish(), type: z.string().nullish() }) })

/** Error codes for rejected prompts in services of this dialect, including Azure's. */
const REFUSALS = /content_policy|content_filter|contentFilter|moderation|safety/

type Options = ImageUpstream & {
  /** Fetches images that the upstream stores elsewhere. */
  readonly fetchPublic: SafeFetch
  /** Sizes that the upstream supports; the one nearest in aspect ratio is requested. Default: any. */
  readonly sizes: readonly ImageSize[]
}

/** The sizes that OpenAI's models accept. */
export const OPENAI_SIZES: readonly ImageSize[] = [
  { width: 1024, height: 1024 },
  { width: 1536, height: 1024 },
  { width: 1024, height: 1536 },
]

/** Generates images with `POST <url>/images/generations`, as OpenAI does. */
export function createOpenaiImages(options: Options): Pick<ImageMaker, 'make'> {
  const { url, fetch, key, model, sizes, timeoutMs = IMAGE_TIMEOUT_MS } = options
  return {
    async make({ prompt, size }, signal) {
      const { width, height } = nearestSize(size, sizes)
      const { data } = await askUpstreamJson(
        fetch,
        {
          method: 'POST',
          url: `${url}/images/generations`,
          headers: { 'content-type': 'application/json', ...(key && { authorization: `Bearer ${key}` }) },
          // Newer models reject response_format, so both forms of an answer are accepted.
          body: JSON.stringify({ ...(model && { model }), prompt, n: 1, size: `${width}x${height}` }),
          maxBytes: MAX_ANSWER_BYTES,
          timeoutMs,
          name: IMAGE_UPSTREAM,
          schema: answerSchema,
          expected: 'images',
          findRefusal,
        },
        signal,
      )
      const [image] = data
      const revisedPrompt = image?.revised_prompt || null
      if (image?.b64_json) return { bytes: decodeBase64(image.b64_json), revisedPrompt }
      if (!image?.url) throw failed('The image upstream answered without an image.')
      return { bytes: await fetchImage(image.url, options, signal), revisedPrompt }
    },
  }
}

function findRefusal({ status, body }: FetchedAnswer): Problem | null {
  if (status !== 400 && status !== 403 && status !== 422) return null
  const { data } = errorSchema.safeParse(parseJson(body))
  return REFUSALS.test(`${data?.error.code} ${data?.error.type}`) ? REFUSED_PROMPT : null
}

/** The size whose aspect ratio differs least; among equal ones, the one with the most pixels. */
export function nearestSize(wanted: ImageSize, sizes: readonly ImageSize[]): ImageSize {
  const distance = ({ width, height }: ImageSize) =>
    Math.abs(Math.log((width * wanted.height) / (height * wanted.width)))
  const [nearest] = sizes.toSorted(
    (one, other) => distance(one) - distance(other) || other.width * other.height - one.width * one.height,
  )
  return nearest ?? wanted
}

/** A URL on the upstream's own host may be private; any other one is untrusted. */
async function fetchImage(url: string, options: Options, signal: AbortSignal): Promise<Uint8Array> {
  if (url.startsWith('data:')) return decodeBase64(url)
  const isOwn = URL.parse(url)?.origin === URL.parse(options.url)?.origin
  const answer = await askUpstream(
    isOwn ? options.fetch : options.fetchPublic,
    {
      method: 'GET',
      url,
      accept: 'image/*',
      name: IMAGE_UPSTREAM,
      maxBytes: MAX_ANSWER_BYTES,
      timeoutMs: 30_000,
    },
    signal,
  )
  return answer.body
}
