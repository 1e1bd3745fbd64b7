import type { Address, Call } from '../../../../catalogue/endpoint.ts'
import { decodeAll } from '../../../../engines/vectorize/decode/base64-image.ts'
import { findImageKind, type ImageKind } from '../../../../engines/vectorize/decode/image-kind.ts'
import type { FetchedAnswer } from '../../../../fetching/fetched-answer.ts'
import { ProblemError } from '../../../../http/problem.ts'
import { toFetchProblem } from '../../../page/fetch-problem.ts'
import type { UtilityPorts } from '../../../ports.ts'
import { type ImageInput, MAX_IMAGE_BYTES } from './find-input-faults.ts'

export type GivenImage = { readonly source: string; readonly bytes: Uint8Array; readonly kind: ImageKind }

const FETCH_TIMEOUT_MS = 15_000

/**
 * The image of a request, from its arguments or from its URL.
 * @throws ProblemError; none is charged
 */
export async function readImage(
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
