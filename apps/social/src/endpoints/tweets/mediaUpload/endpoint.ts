import { json } from '@tollbook/endpoints/answer'
import { type Address, type Call, defineEndpoint } from '@tollbook/endpoints/endpoint'
import { findImageKind } from '@tollbook/flow/image-kind'
import { type Issue, ProblemError } from '@tollbook/http/problem'
import type { UploadedFile } from '@tollbook/http/request/uploaded-file'
import * as z from 'zod'
import { socialId } from '../../../model.ts'
import type { SocialPorts } from '../../../ports.ts'
import {
  authTokenField,
  CREDENTIAL_HEADERS,
  ct0Field,
  EXAMPLE_SESSION,
  findCredentialIssues,
} from '../../../session/credentials.ts'
import { checkCapability, requireOperation } from '../../../source/check-capability.ts'
import { EXAMPLE_IMAGE } from './example.ts'

/** Overhead of a form around its file: boundaries, headers and two short fields. */
const FORM_BYTES = 16_384

const input = z.object({
  auth_token: authTokenField,
  ct0: ct0Field,
  file: z.file().describe('JPEG, PNG, GIF or WebP, up to 5 MB (5,242,880 bytes).'),
})

/** Maximum size of an image in bytes (X API v2 media upload: 5 MB). */
const MAX_IMAGE_BYTES = 5 * 1024 * 1024

export const mediaUpload = defineEndpoint({
  id: 'tweets.mediaUpload',
  method: 'POST',
  effect: 'staged',
  path: '/tweets/mediaUpload',
  pricing: { kind: 'exact', priceUsd: '0.006' },
  summary: 'Upload an image for a tweet',
  description:
    'Uploads an image (JPEG, PNG, GIF or WebP, up to 5 MB) as the user of the session, and returns the media_id to attach to a tweet. Send auth_token and ct0 as headers, in the form or in the query.',
  input,
  accepts: 'multipart',
  output: z.object({
    data: z.object({
      media_id: socialId,
      content_type: z.string().describe('Detected from the first bytes.'),
      size_bytes: z.int(),
    }),
  }),
  example: {
    input: { ...EXAMPLE_SESSION, file: new File([EXAMPLE_IMAGE], 'dot.png', { type: 'image/png' }) },
    output: { data: { media_id: '4611686018427387905', content_type: 'image/png', size_bytes: 70 } },
  },
  scope: 'session',
  secrets: ['auth_token', 'ct0'],
  headerFields: CREDENTIAL_HEADERS,
  limits: { bodyBytes: MAX_IMAGE_BYTES + FORM_BYTES, timeoutMs: 30_000 },
  availability: (ports: SocialPorts) => checkCapability(ports, 'uploadMedia'),
  check: (args, ports, files) => [
    ...findCredentialIssues(args, ports),
    ...findImageIssues(files.get('file')),
  ],
  async handle({
    input: args,
    files,
    ports,
    effects,
    signal,
    now,
  }: Call<z.output<typeof input>, SocialPorts, Address>) {
    const file = files.get('file')
    const contentType = file && contentTypeOf(file.bytes)
    if (!contentType)
      throw new ProblemError({ code: 'invalid_request', detail: 'The form contains no image.' })
    const user = await ports.sessions.find(args.auth_token, { now, signal })
    const image = { contentType, bytes: file.bytes }
    const { mediaId } = await requireOperation(ports, 'uploadMedia')(user, image, { signal, effects })
    return json({ data: { media_id: mediaId, content_type: contentType, size_bytes: file.bytes.byteLength } })
  },
})

function findImageIssues(file: UploadedFile | undefined): readonly Issue[] {
  if (!file) return []
  const { byteLength } = file.bytes
  if (byteLength > MAX_IMAGE_BYTES) {
    const detail = `has ${byteLength} bytes (limit ${MAX_IMAGE_BYTES})`
    return [{ parameter: 'file', detail, code: 'too_large' }]
  }
  if (contentTypeOf(file.bytes)) return []
  const detail = 'unsupported image type (expected JPEG, PNG, GIF or WebP)'
  return [{ parameter: 'file', detail, code: 'unsupported_media_type' }]
}

/** The content type of an image by its first bytes, regardless of its name; null if tweets do not support it. */
function contentTypeOf(bytes: Uint8Array): string | null {
  const kind = findImageKind(bytes)
  return kind === null || kind === 'bmp' ? null : `image/${kind}`
}
