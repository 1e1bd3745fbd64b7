import { once } from 'node:events'
import type { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from 'node:zlib'
import { AnswerTooLarge, InvalidAnswer, PermanentError, Unreachable } from './failure.ts'

/** Accepted codings, in order of preference. */
export const ACCEPTED_CODINGS = 'gzip, br, zstd, deflate'

/** RFC 9659: content sent over HTTP needs a window of at most 8 MB. */
const ZSTD_WINDOW_LOG = 23

/** One layer of coding only; several layers are how decompression bombs multiply. */
const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: () => createGunzip(),
  'x-gzip': () => createGunzip(),
  br: () => createBrotliDecompress(),
  zstd: () => createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG } }),
}

/** Text compresses to about a tenth; above this ratio and the size below, it is not a document. */
const MAX_RATIO = 200
const RATIO_COUNTS_FROM_BYTES = 1_000_000

/** A body in more pieces than this, each of fewer bytes than this, is sent to keep this process busy. */
const MAX_CRUMBS = 10_000
const CRUMB_BYTES = 16

export type BodyLimits = {
  readonly maxBytes: number
  /** Maximum wait for the next bytes, ms. */
  readonly idleMs: number
  readonly signal: AbortSignal
}

/**
 * Reads and decodes a body to its end.
 * @param coding value of `Content-Encoding`; empty for none.
 * @throws AnswerTooLarge as soon as it has more than `maxBytes` decoded bytes, or more than 200 for each
 * received byte; InvalidAnswer if the coding is unknown or broken, or the body arrives in tiny pieces;
 * Unreachable if it stalls.
 */
export async function readDecoded(body: Readable, coding: string, limits: BodyLimits): Promise<Uint8Array> {
  const { maxBytes, idleMs } = limits
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), idleMs)
  const signal = AbortSignal.any([limits.signal, late.signal])
  const chunks: Buffer[] = []
  let [pieces, encodedBytes, decodedBytes] = [0, 0, 0]
  const count = async function* (source: AsyncIterable<Buffer>) {
    for await (const chunk of source) {
      timer.refresh()
      pieces += 1
      encodedBytes += chunk.length
      if (pieces > MAX_CRUMBS && encodedBytes < pieces * CRUMB_BYTES)
        throw new InvalidAnswer('the answer arrives in too many small pieces')
      yield chunk
    }
  }
  const collect = async (source: AsyncIterable<Buffer>) => {
    for await (const chunk of source) {
      decodedBytes += chunk.length
      chunks.push(chunk)
      if (decodedBytes > maxBytes) throw new AnswerTooLarge(`the answer has more than ${maxBytes} bytes`)
      const isBomb = decodedBytes > RATIO_COUNTS_FROM_BYTES && decodedBytes > encodedBytes * MAX_RATIO
      if (isBomb) throw new AnswerTooLarge(`the answer decompresses to more than ${MAX_RATIO} times its size`)
    }
  }
  try {
    const decoder = await openDecoder(body, coding, signal)
    await (decoder
      ? pipeline(body, count, decoder, collect, { signal })
      : pipeline(body, count, collect, { signal }))
  } catch (error) {
    body.destroy()
    limits.signal.throwIfAborted()
    if (error instanceof PermanentError) throw error
    // Some hosts send a content encoding with an empty body.
    if (isCodingIssue(error) && encodedBytes === 0) return new Uint8Array()
    if (isCodingIssue(error)) throw new InvalidAnswer('the content encoding is broken', { cause: error })
    const reason = late.signal.aborted
      ? `no further bytes within ${idleMs} ms`
      : 'the connection broke before the end of the answer'
    throw new Unreachable(reason, { cause: error, phase: 'body', isLate: late.signal.aborted })
  } finally {
    clearTimeout(timer)
  }
  return Buffer.concat(chunks)
}

async function openDecoder(body: Readable, coding: string, signal: AbortSignal): Promise<Transform | null> {
  const name = coding.trim().toLowerCase()
  if (name === '' || name === 'identity') return null
  if (name === 'deflate') return isZlib(await peek(body, signal)) ? createInflate() : createInflateRaw()
  const open = DECODERS[name]
  if (!open) throw new InvalidAnswer('the answer has an unknown content encoding')
  return open()
}

/** The first two bytes, left in the stream; fewer if the stream is shorter. */
async function peek(body: Readable, signal: AbortSignal): Promise<Buffer> {
  while (!body.readableEnded) {
    const chunk: Buffer | null = body.read(2)
    if (chunk !== null) {
      body.unshift(chunk)
      return chunk
    }
    const stop = new AbortController()
    const either = { signal: AbortSignal.any([signal, stop.signal]) }
    await Promise.race([once(body, 'readable', either), once(body, 'end', either)]).finally(() =>
      stop.abort(),
    )
  }
  return Buffer.alloc(0)
}

/** Some servers send raw deflate under this name; the header of RFC 1950 section 2.2 distinguishes them. */
function isZlib([method = 0, flags = 0]: Uint8Array): boolean {
  return (method & 0x0f) === 8 && (method * 256 + flags) % 31 === 0
}

function isCodingIssue(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    /^(Z_|ERR_(BROTLI|ZSTD|_ERR)|ERR__|ZSTD_)/.test(String(error.code))
  )
}
