import type { IncomingMessage } from 'node:http'

/** The source of a body: a socket's message, which is cheaper, or the stream of a request. */
export type BodySource = IncomingMessage | ReadableStream<Uint8Array>

/** A request's body, read once and within bounds, however many readers there are. */
export class RequestBody {
  readonly #source: BodySource | null
  readonly #chunks: Uint8Array[] = []
  #reader: ReadableStreamDefaultReader<Uint8Array> | null = null
  #next: Promise<void> | null = null
  #sizeBytes = 0
  #isEnded = false

  constructor(source: BodySource | null) {
    this.#source = source
    this.#isEnded = source === null
    // An unhandled error of a message would end the process.
    if (source && !(source instanceof ReadableStream)) source.on('error', () => {})
  }

  bytesRead(): number {
    return this.#sizeBytes
  }

  /**
   * The whole body if it has at most `sizeBytes` and arrives within `waitMs`, otherwise null; later reads
   * continue from there.
   */
  async peek(sizeBytes: number, waitMs: number): Promise<Uint8Array | null> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<'late'>((resolve) => {
      timer = setTimeout(resolve, waitMs, 'late')
    })
    try {
      return await Promise.race([this.#readAtMost(sizeBytes), late.then(() => null)])
    } catch {
      // `read` reports errors.
      return null
    } finally {
      clearTimeout(timer)
    }
  }

  /**
   * The whole body, or null when it is longer than `sizeBytes`; the rest is then not read.
   * @throws when the client disconnects before the end.
   */
  read(sizeBytes: number): Promise<Uint8Array | null> {
    return this.#readAtMost(sizeBytes)
  }

  async #readAtMost(sizeBytes: number): Promise<Uint8Array | null> {
    while (!this.#isEnded && this.#sizeBytes <= sizeBytes) {
      // A peek that timed out may still wait for the same chunk.
      this.#next ??= this.#readChunk()
      await this.#next
    }
    if (this.#sizeBytes > sizeBytes) return null
    const [first] = this.#chunks
    const whole = this.#chunks.length === 1 && first ? first : Buffer.concat(this.#chunks)
    // The pieces are not kept next to it.
    this.#chunks.splice(0, this.#chunks.length, whole)
    return whole
  }

  async #readChunk(): Promise<void> {
    const source = this.#source
    const chunk =
      source instanceof ReadableStream ? await this.#readStream(source) : await readMessage(source)
    if (chunk) {
      this.#chunks.push(chunk)
      this.#sizeBytes += chunk.byteLength
    } else this.#isEnded = true
    this.#next = null
  }

  async #readStream(stream: ReadableStream<Uint8Array>): Promise<Uint8Array | null> {
    this.#reader ??= stream.getReader()
    return (await this.#reader.read()).value ?? null
  }
}

/**
 * Discards the unread rest of a message, because the connection's next request comes after it. Node does so
 * itself only for a message of which nothing was read.
 */
export function dropUnread(message: IncomingMessage): void {
  if (message.readableFlowing === null || message.readableEnded) return
  // A peek that timed out would pause it again.
  message.removeAllListeners('data').resume()
}

/** The next bytes of a message, null at its end; the rest waits in the socket. */
function readMessage(message: IncomingMessage | null): Promise<Uint8Array | null> {
  if (!message || message.readableEnded) return Promise.resolve(null)
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array | null>()
  const end = () => resolve(null)
  const cut = () => (message.readableEnded ? end() : reject(new Error('the body was cut off')))
  const take = (chunk: Uint8Array) => {
    message.pause()
    resolve(chunk)
  }
  if (message.destroyed) cut()
  message.once('data', take).once('end', end).once('error', cut).once('close', cut).resume()
  return promise.finally(() => {
    message.off('data', take).off('end', end).off('error', cut).off('close', cut)
  })
}
