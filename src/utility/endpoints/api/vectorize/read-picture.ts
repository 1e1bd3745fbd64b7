import type { Address, Call } from '../../../../catalogue/endpoint.ts'
import { findPictureKind, type PictureKind } from '../../../../engines/vectorize/decode/picture-kind.ts'
import type { FetchedAnswer } from '../../../../fetching/fetched-answer.ts'
import { ProblemError } from '../../../../http/problem.ts'
import { toFetchProblem } from '../../../page/fetch-problem.ts'
import type { UtilityPorts } from '../../../ports.ts'
import { decodeAll } from './base64-picture.ts'
import { MAX_PICTURE_BYTES, type PictureInput } from './find-input-faults.ts'

export type GivenPicture = { readonly source: string; readonly bytes: Uint8Array; readonly kind: PictureKind }

const FETCH_TIMEOUT_MS = 15_000

/**
 * The image of a request, from its arguments or from its URL.
 * @throws ProblemError; none is charged
 */
export async function readPicture(
  call: Pick<Call<PictureInput, UtilityPorts, Address>, 'input' | 'ports' | 'payer' | 'signal'>,
): Promise<GivenPicture> {
  const { url = '', image_base64 } = call.input
  const { source, bytes } =
    image_base64 === undefined
      ? await fetchPicture(url, call)
      : { source: 'image_base64', bytes: decodeAll(image_base64) }
  const kind = findPictureKind(bytes)
  if (kind) return { source, bytes, kind }
  const detail = 'The response of the URL is not a PNG, JPEG, GIF, BMP or WebP image.'
  throw new ProblemError({ code: 'cannot_be_served', detail })
}

async function fetchPicture(
  url: string,
  { ports, payer, signal }: Pick<Call<unknown, UtilityPorts, Address>, 'ports' | 'payer' | 'signal'>,
) {
  let answer: FetchedAnswer
  try {
    answer = await ports.fetch(url, {
      payer,
      signal,
      maxBytes: MAX_PICTURE_BYTES,
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
