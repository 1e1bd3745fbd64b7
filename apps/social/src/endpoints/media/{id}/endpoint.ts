import { bytes } from '@tollbook/endpoints/answer'
import { type Call, defineEndpoint } from '@tollbook/endpoints/endpoint'
import { ProblemError } from '@tollbook/http/problem'
import * as z from 'zod'
import { idField } from '../../../listing/define-listing.ts'
import type { SocialPorts } from '../../../ports.ts'

const input = z.object({ id: idField('media') })

export const mediaById = defineEndpoint({
  id: 'media.by.id',
  method: 'GET',
  path: '/media/{id}',
  pricing: { kind: 'free' },
  summary: 'Uploaded image',
  description:
    'The image that /tweets/mediaUpload stores under its media_id for 24 hours, if this service stores images itself.',
  input,
  output: z.string().meta({ contentMediaType: 'image/*' }),
  example: { input: { id: '4611686018427387905' }, output: '(the image)' },
  limits: { bodyBytes: 0, timeoutMs: 10_000 },
  isPostRead: false,
  async handle({ input: { id }, ports, now }: Call<z.output<typeof input>, SocialPorts, null>) {
    const image = await ports.findImage(id, now)
    if (!image)
      throw new ProblemError({ code: 'not_found', detail: `No image is stored under the id ${id}.` })
    const seconds = Math.floor((image.expiresAt.getTime() - now.getTime()) / 1000)
    return bytes(image.content, image.contentType, {
      headers: {
        'cache-control': `private, max-age=${seconds}`,
        'content-security-policy': "default-src 'none'; sandbox",
      },
    })
  },
})
