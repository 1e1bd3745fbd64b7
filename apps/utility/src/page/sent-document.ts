import type { Issue } from '@tollbook/http/problem'
import type { UploadedFile } from '@tollbook/http/request/uploaded-file'
import * as z from 'zod'
import { documentKindOf } from './document-kind.ts'
import { MAX_BYTES, type PageSource, pageFields, READABLE } from './read-page.ts'

/** Pages of this size are parsed within a second; larger ones must be sent by URL. */
export const MAX_HTML_LENGTH = 1_000_000
/** Base of a page sent without `url`: a name that never resolves (RFC 6761, section 6.4). */
export const NOWHERE = 'https://page.invalid/'

/** JSON may take six bytes for a character of `html`; the form around a file is small. */
export const SENT_LIMITS = { bodyBytes: 6_200_000, formBytes: MAX_BYTES.document + 65_536 }

/** Input fields of a document that is sent instead of fetched. */
export const sentFields = {
  html: z.string().min(1).max(MAX_HTML_LENGTH).optional().describe('By POST; `url` is its base.'),
  file: z.file().optional().describe('A document, by POST as multipart/form-data; `url` is its base.'),
}

/** `pageFields` of an endpoint that also reads what was sent. */
export const sentPageFields = {
  ...pageFields,
  url: z.string().nullable().describe('Null if not fetched.'),
  final_url: pageFields.final_url.nullable(),
  status: pageFields.status.nullable(),
  fetch_ms: pageFields.fetch_ms.nullable(),
}

type Sent = { readonly url?: string | undefined; readonly html?: string | undefined }

/** What was sent, as if it came from `url`; null if the call has only a URL. */
export function readSent({ url = NOWHERE, html }: Sent, file: UploadedFile | undefined): PageSource | null {
  if (html !== undefined)
    return { url, contentType: 'text/html; charset=utf-8', body: new TextEncoder().encode(html) }
  return file ? { url, contentType: file.contentType, body: file.bytes } : null
}

/** Issues of what was sent, visible before payment. */
export function findSentIssues(input: Sent, file: UploadedFile | undefined): Issue[] {
  if (!file) return []
  const parameter = 'file'
  if (input.html !== undefined) return [{ parameter, detail: 'is allowed only without html' }]
  const { byteLength } = file.bytes
  if (byteLength === 0) return [{ parameter, detail: 'is empty' }]
  const source = readSent(input, file)
  const kind = source && documentKindOf(source)
  if (!kind) return [{ parameter, detail: `must be one of ${READABLE}`, code: 'unsupported_media_type' }]
  const limit = kind === 'html' ? MAX_BYTES.page : MAX_BYTES.document
  if (byteLength <= limit) return []
  return [{ parameter, detail: `has ${byteLength} bytes (limit ${limit})`, code: 'too_large' }]
}

/** The fields of `sentPageFields` for a document that was not fetched. */
export function describeSent({ url }: Sent, bytes: number) {
  const none = { final_url: null, status: null, redirects: [], fetch_ms: null }
  return { url: url ?? null, ...none, bytes }
}
