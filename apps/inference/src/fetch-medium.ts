import {
  AnswerTooLarge,
  BlockedTarget,
  InvalidAnswer,
  TooManyFetches,
  Unreachable,
} from '@tollbook/flow/failure'
import { ProblemError } from '@tollbook/http/problem'
import type { SafeFetch } from '@tollbook/safe-fetch/safe-fetch'

/** A kind of medium that callers reference by URL and models read. */
export type Medium = {
  /** Its name in problems. */
  readonly name: string
  readonly accept: string
  readonly maxBytes: number
  /** First bytes by content type, Latin-1, and those at byte 8. */
  readonly kinds: readonly (readonly [contentType: string, start: string, at8: string])[]
  /** The expected kind, for messages. */
  readonly wanted: string
}

/** Chosen: what hosted models accept of an image, and several times what they look at. */
const MAX_IMAGE_BYTES = 10 * 1024 * 1024
/** Chosen: in base64 it fits into the body that a caller could send instead. */
const MAX_PDF_BYTES = 16 * 1024 * 1024
const TIMEOUT_MS = 15_000

/** https://mimesniff.spec.whatwg.org/#image-type-pattern-matching-algorithm */
export const IMAGE: Medium = {
  name: 'image',
  accept: 'image/*',
  maxBytes: MAX_IMAGE_BYTES,
  kinds: [
    ['image/png', '\x89PNG\r\n\x1a\n', ''],
    ['image/jpeg', '\xff\xd8\xff', ''],
    ['image/gif', 'GIF87a', ''],
    ['image/gif', 'GIF89a', ''],
    ['image/webp', 'RIFF', 'WEBPVP'],
  ],
  wanted: 'PNG, JPEG, GIF or WebP',
}

export const PDF: Medium = {
  name: 'document',
  accept: 'application/pdf',
  maxBytes: MAX_PDF_BYTES,
  kinds: [['application/pdf', '%PDF-', '']],
  wanted: 'PDF',
}

/** The client, and whose call it fetches for. */
export type FetchContext = { readonly fetch: SafeFetch; readonly payer: string; readonly signal: AbortSignal }

/**
 * Fetches a medium that a caller references by URL, as base64 with the content type of its first bytes.
 * @throws ProblemError if it cannot be fetched, or is of another kind.
 */
export async function fetchMedium(
  medium: Medium,
  { url, parameter }: { readonly url: string; readonly parameter: string },
  { fetch, payer, signal }: FetchContext,
): Promise<{ readonly contentType: string; readonly data: string }> {
  const { accept, maxBytes, kinds, wanted } = medium
  const { status, body } = await fetch(url, { accept, maxBytes, timeoutMs: TIMEOUT_MS, payer, signal }).catch(
    (error: unknown) => {
      throw toProblem(error, medium, parameter)
    },
  )
  if (status !== 200) throw refuse(medium, parameter, `answers ${status}`)
  const start = Buffer.from(body.subarray(0, 16)).toString('latin1')
  const kind = kinds.find(([, first, at8]) => start.startsWith(first) && start.startsWith(at8, 8))
  if (!kind) throw refuse(medium, parameter, `is not ${wanted}`)
  return { contentType: kind[0], data: Buffer.from(body).toString('base64') }
}

function refuse({ name }: Medium, parameter: string, detail: string): ProblemError {
  const issues = [{ parameter, detail }]
  return new ProblemError({ code: 'cannot_be_served', detail: `The ${name} ${detail}.`, issues })
}

function toProblem(error: unknown, medium: Medium, parameter: string): unknown {
  if (error instanceof BlockedTarget || error instanceof AnswerTooLarge || error instanceof InvalidAnswer) {
    return refuse(medium, parameter, `cannot be fetched: ${error.message}`)
  }
  if (error instanceof Unreachable) {
    return new ProblemError({
      code: 'upstream_failed',
      detail: `The ${medium.name} cannot be reached: ${error.message}.`,
    })
  }
  if (error instanceof TooManyFetches) {
    const detail = `Too many requests to the host of a ${medium.name} are in progress.`
    return new ProblemError({ code: 'unavailable', detail, retryAfterSeconds: 2 })
  }
  return error
}
