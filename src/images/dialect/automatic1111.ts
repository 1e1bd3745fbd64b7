import { randomInt } from 'node:crypto'
import * as z from 'zod'
import { parseJson } from '../../fetching/parse-json.ts'
import { askUpstreamJson } from '../../upstream/ask-upstream.ts'
import { type ImageMaker, MAX_SEED } from '../image-maker.ts'
import {
  decodeBase64,
  IMAGE_TIMEOUT_MS,
  IMAGE_UPSTREAM,
  type ImageUpstream,
  MAX_ANSWER_BYTES,
} from '../upstream.ts'

/** https://github.com/AUTOMATIC1111/stable-diffusion-webui/wiki/API; `info` is JSON in a string. */
const answerSchema = z.object({ images: z.array(z.string()).min(1), info: z.string().nullish() })
const infoSchema = z.object({ seed: z.int().min(0).max(MAX_SEED) })

/** Generates images with `POST <url>/sdapi/v1/txt2img`; a key is a `user:password` of `--api-auth`. */
export function createAutomatic1111(upstream: ImageUpstream): Pick<ImageMaker, 'engine' | 'make'> {
  const { url, fetch, key, model, timeoutMs = IMAGE_TIMEOUT_MS } = upstream
  return {
    engine: 'automatic1111',
    async make({ prompt, size, seed }, signal) {
      const requestedSeed = seed ?? randomInt(MAX_SEED + 1)
      const { images, info } = await askUpstreamJson(
        fetch,
        {
          method: 'POST',
          url: `${url}/sdapi/v1/txt2img`,
          headers: {
            'content-type': 'application/json',
            ...(key && { authorization: `Basic ${Buffer.from(key).toString('base64')}` }),
          },
          body: JSON.stringify({
            prompt,
            ...size,
            seed: requestedSeed,
            batch_size: 1,
            n_iter: 1,
            send_images: true,
            save_images: false,
            ...(model && { override_settings: { sd_model_checkpoint: model } }),
          }),
          maxBytes: MAX_ANSWER_BYTES,
          timeoutMs,
          name: IMAGE_UPSTREAM,
          schema: answerSchema,
          expected: 'images',
        },
        signal,
      )
      const reported = infoSchema.safeParse(parseJson(info ?? ''))
      return {
        bytes: decodeBase64(images[0] ?? ''),
        revisedPrompt: null,
        seed: reported.data?.seed ?? requestedSeed,
      }
    },
  }
}
