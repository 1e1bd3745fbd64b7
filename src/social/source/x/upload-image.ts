import * as z from 'zod'
import type { ImageFile } from '../provider.ts'
import type { XClient } from './x-client.ts'
import { failed } from './x-envelope.ts'

type Upload = { readonly userToken: string; readonly file: ImageFile; readonly signal: AbortSignal }

const uploaded = z.looseObject({ id: z.string().regex(/^\d{1,19}$/) })

/**
 * Uploads an image for a tweet on behalf of the token's user (docs.x.com, "Upload media").
 * @returns the id for attaching it to a tweet.
 */
export async function uploadImage(
  client: XClient,
  { userToken, file, signal }: Upload,
): Promise<{ readonly mediaId: string }> {
  const form = new FormData()
  form.set('media_category', file.contentType === 'image/gif' ? 'tweet_gif' : 'tweet_image')
  form.set('media', new File([new Uint8Array(file.bytes)], 'image', { type: file.contentType }))
  const encoded = new Response(form)
  const envelope = await client.ask({
    operation: 'uploadMedia',
    route: 'uploadMedia',
    path: '/2/media/upload',
    fields: 'none',
    body: {
      contentType: encoded.headers.get('content-type') ?? '',
      bytes: new Uint8Array(await encoded.arrayBuffer()),
    },
    userToken,
    objects: 1,
    signal,
  })
  const read = uploaded.safeParse(envelope?.data)
  if (!read.success) throw failed('The X API answered an upload without a media id.', read.error)
  return { mediaId: read.data.id }
}
