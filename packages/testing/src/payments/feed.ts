import { eventStream } from '@tollbook/endpoints/answer'
import type { StreamPiece } from '@tollbook/gate/contract/answer'

/** A live source that a test feeds piece by piece. */
export class Feed {
  wasStopped = false
  readonly #waiting: (StreamPiece | Error | null)[] = []
  #wake = () => {}

  give(text: string, more: Partial<StreamPiece> = {}): void {
    this.#push({ bytes: new TextEncoder().encode(text), isContent: true, ...more })
  }

  end(): void {
    this.#push(null)
  }

  fail(error: Error): void {
    this.#push(error)
  }

  answer(signal: AbortSignal): ReturnType<typeof eventStream> {
    signal.addEventListener('abort', () => {
      this.wasStopped = true
      this.#wake()
    })
    return eventStream(this.#pieces(signal))
  }

  #push(item: StreamPiece | Error | null): void {
    this.#waiting.push(item)
    this.#wake()
  }

  async *#pieces(signal: AbortSignal): AsyncGenerator<StreamPiece> {
    for (;;) {
      const item = this.#waiting.shift()
      if (item === null || signal.aborted) return
      if (item instanceof Error) throw item
      if (item) yield item
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve
        })
    }
  }
}
