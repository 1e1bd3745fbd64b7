import type { Random } from '@tollbook/devchain/demo-week/random'

/** Addresses of the sellers that are open right now. */
export class Sellers {
  readonly #open = new Map<number, string>()
  #waiting: (() => void)[] = []
  #isOver = false

  opened(place: number, url: string): void {
    if (this.#isOver) return
    this.#open.set(place, url)
    for (const resolve of this.#waiting.splice(0)) resolve()
  }

  closed(place: number): void {
    this.#open.delete(place)
  }

  /** Callers that still choose a seller wait from now on, so nobody buys any more. */
  end(): void {
    this.#isOver = true
    this.#open.clear()
  }

  /** One of them; waits for the first. */
  async choose(random: Random): Promise<string> {
    for (;;) {
      const urls = [...this.#open.values()]
      const url = urls[Math.floor(random() * urls.length)]
      if (url !== undefined) return url
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
  }
}
