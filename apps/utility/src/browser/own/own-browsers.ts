import { leaving } from '@tollbook/flow/leaving'
import { RenderError } from '../browser-task.ts'
import type { Browsers, Lease } from '../page-browser.ts'
import type { Chromium } from './find-chromium.ts'
import { BrowserFailed, type Running, removeFoldersOfKilled, runChromium } from './run-chromium.ts'

/** All but one browser end after this time without a page. */
const IDLE_MS = 60_000

/**
 * Browsers that this process runs. Each renders one page at a time: a page that floods or blocks the process that all
 * pages of a browser share holds no other page, and ends with its browser.
 */
export class OwnBrowsers implements Browsers {
  readonly #chromium: Chromium
  readonly #onGone: (error: unknown) => void
  readonly #end = new AbortController()
  readonly #starting = new Set<Promise<Running>>()
  readonly #running = new Set<Running>()
  /** With the timers that end them; the one used last is taken first. */
  readonly #idle = new Map<Running, NodeJS.Timeout>()

  private constructor(chromium: Chromium, onGone: (error: unknown) => void) {
    this.#chromium = chromium
    this.#onGone = (error) => this.#end.signal.aborted || onGone(error)
  }

  /**
   * Starts the first browser; others start when a page finds no idle one.
   * @param onGone called when a browser has exited by itself, or does not start
   * @throws BrowserFailed
   */
  static async start(chromium: Chromium, onGone: (error: unknown) => void): Promise<OwnBrowsers> {
    await removeFoldersOfKilled()
    const browsers = new OwnBrowsers(chromium, onGone)
    browsers.#keep(await browsers.#start())
    return browsers
  }

  async take(signal: AbortSignal): Promise<Lease> {
    const browser = this.#takeIdle() ?? (await this.#startFor(signal))
    return {
      url: browser.url,
      release: (isReusable) => (isReusable ? this.#keep(browser) : this.#replace(browser)),
    }
  }

  async close(): Promise<void> {
    this.#end.abort()
    const removals = [...this.#running].map(({ removed }) => removed)
    await Promise.allSettled([...this.#starting, ...removals])
  }

  async #start(): Promise<Running> {
    const starting = runChromium(this.#chromium, this.#end.signal)
    this.#starting.add(starting)
    const browser = await starting.finally(() => this.#starting.delete(starting))
    this.#running.add(browser)
    browser.exited.then(() => {
      // Otherwise it was ended.
      if (this.#remove(browser)) this.#onGone(new BrowserFailed([]))
    }, this.#onGone)
    return browser
  }

  async #startFor(signal: AbortSignal): Promise<Running> {
    const starting = this.#start()
    try {
      return await leaving(starting, signal)
    } catch (error) {
      // The next page can have the browser whose page did not wait for it.
      if (signal.aborted) starting.then((browser) => this.#keep(browser), this.#onGone)
      else this.#onGone(error)
      const detail = 'the browser cannot be started'
      throw signal.aborted ? error : new RenderError({ of: 'browser', detail }, { cause: error })
    }
  }

  #keep(browser: Running): void {
    if (!this.#running.has(browser)) return
    const end = () => {
      if (this.#idle.size > 1) this.#stop(browser)
    }
    this.#idle.set(browser, setTimeout(end, IDLE_MS).unref())
  }

  #takeIdle(): Running | undefined {
    const browser = [...this.#idle.keys()].at(-1)
    if (browser) this.#removeIdle(browser)
    return browser
  }

  #removeIdle(browser: Running): void {
    clearTimeout(this.#idle.get(browser))
    this.#idle.delete(browser)
  }

  /** Ends a browser, and starts the next so that no page waits for it. */
  #replace(browser: Running): void {
    this.#stop(browser)
    if (this.#idle.size > 0 || this.#end.signal.aborted) return
    this.#start().then((next) => this.#keep(next), this.#onGone)
  }

  #stop(browser: Running): void {
    if (this.#remove(browser)) browser.kill()
  }

  /** Returns whether it was there. */
  #remove(browser: Running): boolean {
    this.#removeIdle(browser)
    return this.#running.delete(browser)
  }
}
