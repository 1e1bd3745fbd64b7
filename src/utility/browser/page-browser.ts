import { Worker } from 'node:worker_threads'
import { acquire } from '../../catalogue/acquire.ts'
import type { SafeFetch } from '../../fetching/safe-fetch.ts'
import { createSemaphore } from '../../flow/semaphore.ts'
import { type Problem, ProblemError } from '../../http/problem.ts'
import type { Page } from '../page/read-page.ts'
import type {
  RenderedDocument,
  RenderFailure,
  RenderLimits,
  RenderReply,
  RenderTask,
  RenderWishes,
  ResourceReply,
  ResourceRequest,
} from './browser-task.ts'

/** Runs the scripts of pages in the operator's browser. */
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
    wishes?: RenderWishes,
  ): Promise<RenderedDocument>
}

export type PageBrowserOptions = {
  /**
   * `ws:` or `wss:` of the browser's debugging protocol, or `http:` or `https:` of its debugging port; read for
   * each page, since it changes if the browser restarts.
   */
  readonly url: string
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
const THREAD = new URL('./browser-thread.ts', import.meta.url)
/** Memory of a page's thread, MB: the browser's messages, and the responses fetched for it. */
const HEAP_MB = 256

/** Stores the browser's URL; each page connects separately. */
export function createPageBrowser(options: PageBrowserOptions): PageBrowser {
  const { pages, maxWaiting, deadlineMs } = { ...DEFAULTS, ...options }
  const limits = { ...LIMITS, ...options.limits }
  const semaphore = createSemaphore({ max: pages, maxWaiting, message: 'Too many pages are being rendered.' })
  return {
    async render({ finalUrl, headers, body }, { payer, signal }, wishes = {}) {
      const release = await acquire(semaphore, signal)
      const task: RenderTask = {
        browserUrl: options.url,
        limits,
        page: { url: finalUrl, headers, body },
        wishes,
      }
      const deadline = AbortSignal.timeout(deadlineMs)
      try {
        return await inThread(task, {
          fetch: options.fetch,
          payer,
          signal: AbortSignal.any([signal, deadline]),
        })
      } catch (error) {
        signal.throwIfAborted()
        throw deadline.aborted ? new ProblemError(TOO_LONG) : error
      } finally {
        release()
      }
    },
  }
}

type Asking = { readonly fetch: SafeFetch; readonly payer: string; readonly signal: AbortSignal }

/** One thread per page: it ends with the page, and frees everything the page made the browser send. */
function inThread(task: RenderTask, { fetch, payer, signal }: Asking): Promise<RenderedDocument> {
  const { promise, resolve, reject } = Promise.withResolvers<RenderedDocument>()
  const end = new AbortController()
  const whole = AbortSignal.any([signal, end.signal])
  const thread = new Worker(THREAD, {
    workerData: task,
    // The thread gets no secret of the process.
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  })
  const leave = () => reject(signal.reason)
  signal.addEventListener('abort', leave, { once: true })
  thread.on('message', (reply: RenderReply) => {
    if ('fetch' in reply) void serve(reply.fetch)
    else if ('rendered' in reply) resolve(reply.rendered)
    else reject(new ProblemError(explain(reply.failure)))
  })
  thread.on('error', (error) => reject(toProblem(error)))
  thread.on('exit', () => reject(new Error('the thread of a page exited without a result')))

  async function serve({ id, url, headers, maxBytes }: ResourceRequest): Promise<void> {
    const { accept = '*/*', ...others } = headers
    const request = { accept, headers: others, maxBytes, payer, timeoutMs: FETCH_TIMEOUT_MS, signal: whole }
    // Redirects are not followed here: the browser requests their target, which is then fetched.
    const resource = await fetch(url, { ...request, maxRedirects: 0 }).catch(() => null)
    const reply: ResourceReply = {
      id,
      resource: resource && { status: resource.status, headers: resource.headers, body: resource.body },
    }
    if (!end.signal.aborted) thread.postMessage(reply)
  }

  return promise.finally(async () => {
    signal.removeEventListener('abort', leave)
    end.abort()
    await thread.terminate()
  })
}

function explain({ of, detail }: RenderFailure): Problem {
  return of === 'browser'
    ? { code: 'upstream_failed', detail: `The page cannot be rendered: ${detail}.` }
    : { code: 'cannot_be_served', detail: `The page cannot be rendered: ${detail}.` }
}

function toProblem(error: unknown): unknown {
  const isMemory = error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
  const failure: RenderFailure = { of: 'page', detail: 'it takes too much memory' }
  return isMemory ? new ProblemError(explain(failure), { cause: error }) : error
}

const TOO_LONG = {
  code: 'upstream_timeout',
  detail: 'The page takes too long to render.',
} as const
