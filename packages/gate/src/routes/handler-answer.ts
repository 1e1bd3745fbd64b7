import type { AtomicUsdc } from '@tollbook/chain/usdc'
import type { Answer, StreamPiece } from '../contract/answer.ts'
import { UnchargedAnswer } from '../contract/uncharged-answer.ts'

/** What a handler of a framework answers, as far as it is known when its first bytes are. */
export type HandlerAnswer = {
  readonly status: number
  /** Lower-case names; several `set-cookie` are separated by line feeds, which no value contains. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: ReadableStream<Uint8Array> | Uint8Array | null
}

/** What the handler has set as its charge so far; undefined before, and on routes with a fixed price. */
export type Metering = { readonly isMetered: boolean; readonly charged: AtomicUsdc | undefined }

/**
 * A body that has not ended after so many bytes, or so long after its first, is sent live. Chosen: what one call may hold
 * in memory, and how long a reader waits for the first words of a stream.
 */
const LIVE_FROM_BYTES = 8 * 1024 * 1024
const LIVE_AFTER_MS = 1_000
/** These are read as they are written. */
const LIVE_TYPES =
  /^(text\/event-stream|application\/(x-ndjson|jsonl|json-seq|stream\+json)|multipart\/x-mixed-replace)/

/**
 * Turns what a handler answers into what the gate charges for and stores: a whole answer, or a live one.
 * @throws UnchargedAnswer for any status but 200 to 299; Error when a metered handler has not set its charge.
 */
export async function toAnswer(answer: HandlerAnswer, metering: Metering): Promise<Answer> {
  const { status, headers, body } = answer
  const isPaid = status >= 200 && status <= 299
  if (!(body instanceof ReadableStream))
    return isPaid ? toWhole(answer, body ?? new Uint8Array(), metering) : refuse(answer, body)
  const reader = body.getReader()
  const type = headers['content-type'] ?? ''
  const isLive = isPaid && LIVE_TYPES.test(type)
  const read = isLive ? { chunks: [], isWhole: false as const } : await readBegin(reader)
  if (!isPaid) return refuse(answer, read.isWhole ? Buffer.concat(read.chunks) : toStream(read, reader))
  if (read.isWhole) return toWhole(answer, Buffer.concat(read.chunks), metering)
  const { 'content-type': contentType = 'application/octet-stream', 'content-length': _, ...others } = headers
  return {
    kind: 'stream',
    status,
    headers: others,
    contentType,
    pieces: toPieces(read, reader, metering),
    toComment: (text) => (/^text\/event-stream/.test(type) ? Buffer.from(`: ${text}\n\n`) : new Uint8Array()),
  }
}

function toWhole({ status, headers }: HandlerAnswer, body: Uint8Array, metering: Metering): Answer {
  const { isMetered, charged } = metering
  if (isMetered && charged === undefined)
    throw new Error("the price is { upTo }, and the handler did not call payment(request).charge('…')")
  const { 'content-length': _, ...others } = headers
  return {
    kind: 'response',
    status,
    headers: others,
    body,
    ...(charged !== undefined && { charge: charged }),
  }
}

function refuse({ status, headers }: HandlerAnswer, body: UnchargedAnswer['reply']['body']): never {
  throw new UnchargedAnswer({ status, headers, body })
}

type Reader = ReadableStreamDefaultReader<Uint8Array>
type Begin = {
  readonly chunks: readonly Uint8Array[]
  /** Whether it ended. */
  readonly isWhole: boolean
  /** A read that has not ended. */
  readonly pending?: ReturnType<Reader['read']>
}

async function readBegin(reader: Reader): Promise<Begin> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  let timer: NodeJS.Timeout | undefined
  let late: Promise<'late'> | undefined
  try {
    for (;;) {
      const pending = reader.read()
      const next = await (late ? Promise.race([pending, late]) : pending)
      if (next === 'late') return { chunks, isWhole: false, pending }
      if (next.done) return { chunks, isWhole: true }
      chunks.push(next.value)
      bytes += next.value.byteLength
      if (bytes > LIVE_FROM_BYTES) return { chunks, isWhole: false }
      late ??= new Promise((resolve) => {
        timer = setTimeout(resolve, LIVE_AFTER_MS, 'late')
      })
    }
  } finally {
    clearTimeout(timer)
  }
}

async function* toChunks({ chunks, pending }: Begin, reader: Reader): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks
    for (let next = await (pending ?? reader.read()); !next.done; next = await reader.read()) yield next.value
  } finally {
    reader.cancel().catch(() => {})
  }
}

async function* toPieces(begin: Begin, reader: Reader, metering: Metering): AsyncGenerator<StreamPiece> {
  for await (const bytes of toChunks(begin, reader)) {
    const { charged } = metering
    yield { bytes, isContent: bytes.byteLength > 0, ...(charged !== undefined && { chargeSoFar: charged }) }
  }
  // What a handler sets as its source ends.
  const { charged } = metering
  if (charged !== undefined) yield { bytes: new Uint8Array(), isContent: false, chargeSoFar: charged }
}

function toStream(begin: Begin, reader: Reader): ReadableStream<Uint8Array> {
  return ReadableStream.from(toChunks(begin, reader))
}
