import type { IncomingMessage } from 'node:http'
import { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { AnswerTooLarge, InvalidAnswer, PermanentError } from './failure.ts'

/** One layer of coding each; several layers are how decompression bombs multiply. */
const DECODERS: Readonly<Record<string, () => NodeJS.ReadWriteStream>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}

/**
 * Reads a body to its end, decoded.
 * @throws AnswerTooLarge as soon as it has more than `maxBytes` decoded bytes; InvalidAnswer when the coding
 * is unknown or broken.
 */
export async function readDecoded(
  answer: IncomingMessage,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const coding = (answer.headers['content-encoding'] ?? 'identity').trim().toLowerCase()
  const chunks: Buffer[] = []
  let sizeBytes = 0
  const collector = new Writable({
    write(chunk: Buffer, _encoding, done) {
      sizeBytes += chunk.length
      chunks.push(chunk)
      done(sizeBytes > maxBytes ? new AnswerTooLarge(`the answer has more than ${maxBytes} bytes`) : null)
    },
  })
  if (coding === 'identity' || coding === '') {
    await pipeline(answer, collector, { signal })
    return Buffer.concat(chunks)
  }
  const decoder = DECODERS[coding]
  if (!decoder) {
    answer.destroy()
    throw new InvalidAnswer('the answer has an unknown content encoding')
  }
  try {
    await pipeline(answer, decoder(), collector, { signal })
  } catch (error) {
    if (error instanceof PermanentError || signal.aborted || !isCodingFault(error)) throw error
    throw new InvalidAnswer('the content encoding is broken', { cause: error })
  }
  return Buffer.concat(chunks)
}

function isCodingFault(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^(Z_|ERR_BROTLI|ERR_|BROTLI)/.test(String(error.code))
}
