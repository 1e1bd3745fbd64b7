import type { ServerResponse } from 'node:http'
import type { Reply } from '@tollbook/http/reply/reply'
import type { HandlerAnswer } from '../routes/handler-answer.ts'
import { EXPOSED } from './web-answer.ts'

/** Chosen: what a handler may write ahead of the gate before it has to wait. */
const HIGH_WATER_BYTES = 256 * 1024

const METHODS = [
  'writeHead',
  'write',
  'end',
  'flushHeaders',
  'setHeader',
  'appendHeader',
  'removeHeader',
] as const
type Method = (typeof METHODS)[number]

/**
 * A response of Node whose handler writes to the gate, and whose connection only the gate writes to. What middleware
 * around it does on writing, such as compression, happens when the gate writes.
 */
export class CapturedResponse {
  readonly #response: ServerResponse
  readonly #original: Readonly<Record<Method, (...words: unknown[]) => unknown>>
  /** Headers of the middleware before. */
  readonly #around: ReturnType<ServerResponse['getHeaders']>
  readonly #answer = Promise.withResolvers<HandlerAnswer>()
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined
  #hasBegun = false
  #hasEnded = false
  /** Whether the gate writes right now, so that calls are meant for the connection. */
  #isSending = false

  constructor(response: ServerResponse) {
    this.#response = response
    const originals = METHODS.map((name) => [name, response[name].bind(response)])
    this.#original = Object.fromEntries(originals)
    this.#around = { ...response.getHeaders() }
  }

  /** From here on the handler writes to the gate. Resolves with its first bytes, or its end. */
  capture(): Promise<HandlerAnswer> {
    const response = this.#response
    const change =
      (name: Method) =>
      (...words: unknown[]) => {
        // A handler that runs on after its deadline would throw.
        if (!this.#hasBegun) this.#original[name](...words)
        return response
      }
    const captured: Record<Method, (...words: unknown[]) => unknown> = {
      setHeader: change('setHeader'),
      appendHeader: change('appendHeader'),
      removeHeader: change('removeHeader'),
      writeHead: (status, ...words) => this.#writeHead(Number(status), words),
      flushHeaders: () => this.#begin(),
      write: (chunk, ...words) => this.#write(chunk, words),
      end: (...words) => this.#end(words),
    }
    const methods = METHODS.map((name) => [
      name,
      (...words: unknown[]) => (this.#isSending ? this.#original[name] : captured[name])(...words),
    ])
    Object.assign(response, Object.fromEntries(methods))
    this.#shadow('headersSent', () => this.#hasBegun)
    this.#shadow('writableEnded', () => this.#hasEnded)
    return this.#answer.promise
  }

  /** Ends the answer of a handler that failed. */
  fail(error: unknown): void {
    this.#answer.reject(error)
    if (!this.#hasEnded) this.#controller?.error(error)
    this.#controller = undefined
  }

  /** Sends the reply of the gate. What a handler still writes after its deadline is dropped. */
  async release(reply: Reply): Promise<void> {
    const response = this.#response
    if (!(reply.body instanceof ReadableStream)) {
      this.#hasBegun = true
      this.#controller = undefined
    }
    await sendReply(
      response,
      reply,
      (send) => {
        this.#isSending = true
        try {
          return send()
        } finally {
          this.#isSending = false
        }
      },
      this.#around,
    )
  }

  /** What the handler sees of a property, while the gate and its middleware see that of the response. */
  #shadow(name: 'headersSent' | 'writableEnded', seen: () => boolean): void {
    const response = this.#response
    const prototype = Object.getPrototypeOf(response)
    Object.defineProperty(response, name, {
      configurable: true,
      get: () => (this.#isSending ? Reflect.get(prototype, name, response) : seen()),
    })
  }

  #writeHead(status: number, words: readonly unknown[]): ServerResponse {
    const response = this.#response
    response.statusCode = status
    const headers = words.find((word) => typeof word === 'object' && word !== null)
    for (const [name, value] of toPairs(headers)) response.setHeader(name, value)
    return response
  }

  #begin(): void {
    if (this.#hasBegun) return
    this.#hasBegun = true
    const { statusCode } = this.#response
    const body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller
        },
        pull: () => void this.#response.emit('drain'),
        cancel: () => {
          this.#controller = undefined
          this.#response.emit('drain')
        },
      },
      { highWaterMark: HIGH_WATER_BYTES, size: (chunk) => chunk?.byteLength ?? 0 },
    )
    this.#answer.resolve({ status: statusCode, headers: this.#ownHeaders(), body })
  }

  #write(chunk: unknown, words: readonly unknown[]): boolean {
    this.#begin()
    const controller = this.#controller
    if (controller && !this.#hasEnded) {
      const bytes = toBytes(chunk, words)
      if (bytes.byteLength > 0) controller.enqueue(bytes)
    }
    callLast(words)
    return !controller || (controller.desiredSize ?? 0) > 0
  }

  #end(words: readonly unknown[]): ServerResponse {
    const [chunk, ...more] = words
    const hasChunk = chunk !== undefined && chunk !== null && typeof chunk !== 'function'
    if (this.#hasEnded) return this.#response
    if (!this.#hasBegun) {
      this.#hasBegun = true
      const body = hasChunk ? toBytes(chunk, more) : null
      this.#answer.resolve({ status: this.#response.statusCode, headers: this.#ownHeaders(), body })
    } else if (hasChunk) this.#write(chunk, typeof more[0] === 'string' ? [more[0]] : [])
    this.#hasEnded = true
    this.#controller?.close()
    callLast(words)
    return this.#response
  }

  #ownHeaders(): Readonly<Record<string, string>> {
    const own: Record<string, string> = {}
    for (const [name, value] of Object.entries(this.#response.getHeaders())) {
      if (value === undefined || String(value) === String(this.#around[name])) continue
      own[name] = Array.isArray(value) ? value.join(name === 'set-cookie' ? '\n' : ', ') : String(value)
    }
    return own
  }
}

type Sending = <Result>(send: () => Result) => Result

/** Writes a reply to its connection, with the headers of the middleware around it. */
async function sendReply(
  response: ServerResponse,
  { status, headers, body }: Reply,
  sending: Sending,
  around: ReturnType<ServerResponse['getHeaders']>,
): Promise<void> {
  sending(() => {
    for (const name of response.getHeaderNames()) response.removeHeader(name)
    for (const [name, value] of Object.entries(around))
      if (value !== undefined) response.setHeader(name, value)
    for (const [name, value] of Object.entries(headers)) {
      if (name === 'set-cookie') response.appendHeader(name, value.split('\n'))
      else if (name === 'vary') response.appendHeader(name, value)
      else response.setHeader(name, value)
    }
    response.appendHeader('access-control-expose-headers', EXPOSED)
    response.statusCode = status
    if (body instanceof ReadableStream) return response.flushHeaders()
    const isEmpty = status === 204 || status === 304
    if (!isEmpty) response.setHeader('content-length', Buffer.byteLength(body ?? ''))
    response.end(isEmpty ? undefined : (body ?? ''))
  })
  if (body instanceof ReadableStream) await sendLive(response, body, sending)
}

async function sendLive(
  response: ServerResponse,
  body: ReadableStream<Uint8Array>,
  sending: Sending,
): Promise<void> {
  const reader = body.getReader()
  const leave = () => void reader.cancel().catch(() => {})
  if (response.destroyed) leave()
  else response.once('close', leave)
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      const { value } = next
      const takesMore = sending(() => response.write(value))
      if (!takesMore && !response.destroyed)
        await new Promise<unknown>((resolve) => response.once('drain', resolve).once('close', resolve))
    }
    sending(() => response.end())
  } catch {
    // The client sees by the cut connection that its answer is not whole.
    response.destroy()
  }
}

function toPairs(headers: unknown): readonly (readonly [string, string | readonly string[]])[] {
  if (!headers) return []
  if (!Array.isArray(headers)) return Object.entries(headers as Record<string, string>)
  if (headers.every(Array.isArray)) return headers as never
  // Names and values by turns.
  return Array.from({ length: headers.length / 2 }, (_, at) => [headers[2 * at], headers[2 * at + 1]])
}

function toBytes(chunk: unknown, words: readonly unknown[]): Uint8Array {
  if (chunk instanceof Uint8Array) return Buffer.from(chunk)
  const encoding = typeof words[0] === 'string' ? (words[0] as BufferEncoding) : 'utf8'
  return Buffer.from(String(chunk), encoding)
}

/** Calls back that a write is done. */
function callLast(words: readonly unknown[]): void {
  const last = words.at(-1)
  if (typeof last === 'function') queueMicrotask(last as () => void)
}
