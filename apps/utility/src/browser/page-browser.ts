import { createSemaphore } from '@tollbook/flow/semaphore'
import { ProblemError } from '@tollbook/http/problem'
import { acquire } from '@tollbook/http/request/acquire'
import type { SafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import {
  createEngineProcess,
  EngineExited,
  type EngineProcess,
  EngineRefused,
} from '@tollbook/workers/engine-process'
import type { Page } from '../page/read-page.ts'
import {
  type BrowserOptions,
  RenderError,
  type RenderedDocument,
  type RenderFailure,
  type RenderLimits,
  type RenderTask,
  type Resource,
  type ResourceRequest,
} from './browser-task.ts'

/** Runs the scripts of pages in browsers. */
export type PageBrowser = {
  /**
   * Returns the document of a page after its scripts ran. All requests of the page are fetched like any other
   * untrusted URL, on behalf of the payer.
   * @throws ProblemError `unavailable` if too many pages are queued, `upstream_timeout` if one takes too
   * long, `upstream_failed` if the browser is unreachable, `cannot_be_served` for a page that cannot be
   * rendered; the signal's reason.
   */
  render(
    page: Page,
    asking: { readonly payer: string; readonly signal: AbortSignal },
    options?: BrowserOptions,
  ): Promise<RenderedDocument>
}

/** A browser that renders one page. */
export type Lease = {
  /** `ws:` or `wss:` of its debugging protocol, or `http:` or `https:` of its debugging port. */
  readonly url: string
  /** @param isReusable whether it has closed the page, and may render another */
  release(isReusable: boolean): void
}

/** Where pages are rendered. */
export type Browsers = {
  /** @throws RenderError if no browser can be started; the signal's reason. */
  take(signal: AbortSignal): Promise<Lease>
}

export type PageBrowserOptions = {
  readonly browsers: Browsers
  readonly fetch: SafeFetch
  /** Concurrent pages; default 4. */
  readonly pages?: number
  /** Maximum queued pages; default 8. */
  readonly maxWaiting?: number
  /** Timeout for one page, ms; default 25,000. */
  readonly deadlineMs?: number
  readonly limits?: Partial<RenderLimits>
}

const LIMITS: RenderLimits = {
  connectMs: 10_000,
  settleMs: 8_000,
  quietMs: 500,
  maxFetched: 100,
  maxRequests: 2_000,
  maxBytes: 20_000_000,
  maxResourceBytes: 5_000_000,
}
const DEFAULTS = { pages: 4, maxWaiting: 8, deadlineMs: 25_000 }
const FETCH_TIMEOUT_MS = 8_000
const ENGINE = new URL('./browser-engine.ts', import.meta.url)
/** Memory of the process for a page, MB: the browser's messages, and the responses fetched for it. */
const HEAP_MB = 256

/** A browser elsewhere, which renders all pages. */
export function shareBrowser(url: string): Browsers {
  return { take: async () => ({ url, release() {} }) }
}

/** Creates processes that talk to browsers; one starts when a page finds no idle one, and goes on to other pages. */
export function createPageBrowser(options: PageBrowserOptions): PageBrowser {
  const { browsers, fetch, pages, maxWaiting, deadlineMs } = { ...DEFAULTS, ...options }
  const limits = { ...LIMITS, ...options.limits }
  const semaphore = createSemaphore({ max: pages, maxWaiting, message: 'Too many pages are being rendered.' })
  const idle: EngineProcess[] = []

  async function renderIn(
    lease: Lease,
    { page, options, payer, signal }: Rendering,
  ): Promise<RenderedDocument> {
    // An order whose signal is aborted ends its process at once.
    const engine =
      idle.pop() ??
      createEngineProcess({ module: ENGINE, settings: null, heapMb: HEAP_MB, stopMs: 0, retryMs: 0 })
    const end = new AbortController()
    const whole = AbortSignal.any([signal, end.signal])
    const fetchResource = async ({ url, headers, maxBytes }: ResourceRequest): Promise<Resource | null> => {
      const { accept = '*/*', ...others } = headers
      const request = { accept, headers: others, maxBytes, payer, timeoutMs: FETCH_TIMEOUT_MS, signal: whole }
      // Redirects are not followed here: the browser requests their target, which is then fetched.
      const answer = await fetch(url, { ...request, maxRedirects: 0 }).catch(() => null)
      return answer && { status: answer.status, headers: answer.headers, body: answer.body }
    }
    const order: RenderTask = { browserUrl: lease.url, limits, page, options }
    let isClosed = false
    try {
      const rendered = await engine.run(order, {
        signal,
        onEvent: () => {
          isClosed = true
        },
        onRequest: (value) => fetchResource(value as ResourceRequest),
      })
      // What `showPage` returns.
      return rendered as RenderedDocument
    } catch (error) {
      // The next page should not wait for the start of the process that replaces an ended one.
      if (signal.aborted || error instanceof EngineExited) engine.load().catch(() => {})
      throw error
    } finally {
      end.abort()
      lease.release(isClosed)
      idle.push(engine)
    }
  }

  return {
    async render({ finalUrl, headers, body }, { payer, signal }, options = {}) {
      const release = await acquire(semaphore, signal)
      const deadline = AbortSignal.timeout(deadlineMs)
      const page = { url: finalUrl, headers, body }
      try {
        const either = AbortSignal.any([signal, deadline])
        const lease = await browsers.take(either)
        return await renderIn(lease, { page, options, payer, signal: either })
      } catch (error) {
        signal.throwIfAborted()
        throw deadline.aborted ? new ProblemError(TOO_LONG) : toProblem(error)
      } finally {
        release()
      }
    },
  }
}

type Rendering = Pick<RenderTask, 'page' | 'options'> & {
  readonly payer: string
  readonly signal: AbortSignal
}

function toProblem(error: unknown): unknown {
  const failure = findFailure(error)
  if (!failure) return error
  const detail = `The page cannot be rendered: ${failure.detail}.`
  const code = failure.of === 'browser' ? 'upstream_failed' : 'cannot_be_served'
  return new ProblemError({ code, detail }, { cause: error })
}

function findFailure(error: unknown): RenderFailure | null {
  if (error instanceof RenderError) return error.failure
  // What `browser-engine.ts` refuses with.
  if (error instanceof EngineRefused) return error.refusal as RenderFailure
  const isOutOfMemory = error instanceof EngineExited && error.isOutOfMemory
  return isOutOfMemory ? { of: 'page', detail: 'it takes too much memory' } : null
}

const TOO_LONG = {
  code: 'upstream_timeout',
  detail: 'The page takes too long to render.',
} as const
