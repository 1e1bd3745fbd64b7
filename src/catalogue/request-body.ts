/** A request's body, read once and in bounds, whoever asks and how often. */
export class RequestBody {
  readonly #source: ReadableStream<Uint8Array> | null
  readonly #chunks: Uint8Array[] = []
  #reader: ReadableStreamDefaultReader<Uint8Array> | null = null
  #next: Promise<void> | null = null
  #sizeBytes = 0
  #isEnded = false

  constructor(source: ReadableStream<Uint8Array> | null) {
    this.#source = source
    this.#isEnded = source === null
  }

  /** The whole body when it has at most `sizeBytes` and arrives within `waitMs`, else null; both later reads go on from there. */
  async peek(sizeBytes: number, waitMs: number): Promise<Uint8Array | null> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<'late'>((resolve) => {
      timer = setTimeout(resolve, waitMs, 'late')
    })
    try {
      return await Promise.race([this.#readAtMost(sizeBytes), late.then(() => null)])
    } catch {
      // What went wrong is for `read` to say.
      return null
    } finally {
      clearTimeout(timer)
    }
  }

  /**
   * The whole body, or null when it is longer than `sizeBytes`; the rest is then left unread.
   * @throws when the client goes away before the end.
   */
  read(sizeBytes: number): Promise<Uint8Array | null> {
    return this.#readAtMost(sizeBytes)
  }

  async #readAtMost(sizeBytes: number): Promise<Uint8Array | null> {
    while (!this.#isEnded && this.#sizeBytes <= sizeBytes) {
      // A peek that gave up may still wait for the same chunk.
      this.#next ??= this.#readChunk()
      await this.#next
    }
    if (this.#sizeBytes > sizeBytes) return null
    return this.#chunks.length === 1 && this.#chunks[0] ? this.#chunks[0] : Buffer.concat(this.#chunks)
  }

  async #readChunk(): Promise<void> {
    this.#reader ??= this.#source?.getReader() ?? null
    const chunk = await this.#reader?.read()
    if (chunk?.value) {
      this.#chunks.push(chunk.value)
      this.#sizeBytes += chunk.value.byteLength
    } else this.#isEnded = true
    this.#next = null
  }
}
