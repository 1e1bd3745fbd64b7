import { Worker } from 'node:worker_threads'
import { acquire } from '../../catalogue/acquire.ts'
import { type Problem, ProblemError } from '../../catalogue/problem.ts'
import type { SafeFetch } from '../../fetching/safe-fetch.ts'
import { createSemaphore } from '../../flow/semaphore.ts'
import type { Page } from '../page/read-page.ts'
import type {
  RenderedDocument,
  RenderFailure,
  RenderLimits,
  RenderReply,
  RenderTask,
  ResourceReply,
  ResourceRequest,
} from './browser-task.ts'

/** Runs the scripts of pages, in a browser that the operator keeps. */
export type PageBrowser = {
  /**
   * Gives the document that the scripts of a page make of it. Whatever the page asks for is fetched as all that
   * others name, on behalf of the payer.
   * @throws ProblemError `unavailable` when too many pages wait, `upstream_timeout` when one takes too
   * long, `upstream_failed` when the browser is not there, `cannot_be_served` for a page that cannot be rendered;
   * the signal's reason.
   */
  render(
    page: Page,
    asking: { readonly payer: string; readonly signal: AbortSignal },
  ): Promise<RenderedDocument>
}

export type PageBrowserOptions = {
  /** `ws:` or `wss:` of the browser's debugging protocol, or `http:` or `https:` of its debugging port. */
  readonly url: string
  readonly fetch: SafeFetch
  /** Pages at a time; default 4. */
  readonly pages?: number
  /** Pages that may wait; default 8. */
  readonly maxWaiting?: number
  /** For one page, ms; default 12,000. */
  readonly deadlineMs?: number
  readonly limits?: Partial<RenderLimits>
}

const LIMITS: RenderLimits = {
  connectMs: 3_000,
  settleMs: 8_000,
  quietMs: 500,
  maxFetched: 100,
  maxRequests: 2_000,
  maxBytes: 20_000_000,
  largestBytes: 5_000_000,
}
const DEFAULTS = { pages: 4, maxWaiting: 8, deadlineMs: 12_000 }
const FETCH_TIMEOUT_MS = 8_000
const THREAD = new URL('./browser-thread.ts', import.meta.url)
/** Of a page's thread, MB: what its browser says at once, and what was fetched for it. */
const HEAP_MB = 256

/** Knows where the browser is; it is reached for each page anew. */
export function createPageBrowser(options: PageBrowserOptions): PageBrowser {
  const { pages, maxWaiting, deadlineMs } = { ...DEFAULTS, ...options }
  const limits = { ...LIMITS, ...options.limits }
  const semaphore = createSemaphore({ max: pages, maxWaiting, message: 'Too many pages are being rendered.' })
  return {
    async render({ finalUrl, headers, body }, { payer, signal }) {
      const release = await acquire(semaphore, signal)
      const task: RenderTask = {
        browserUrl: options.url,
        limits,
        page: { url: finalUrl, headers, body },
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

/** A thread for each page: it ends with it, and with it all that the page made the browser say. */
function inThread(task: RenderTask, { fetch, payer, signal }: Asking): Promise<RenderedDocument> {
  const { promise, resolve, reject } = Promise.withResolvers<RenderedDocument>()
  const end = new AbortController()
  const whole = AbortSignal.any([signal, end.signal])
  const thread = new Worker(THREAD, {
    workerData: task,
    // It needs no secret of the process.
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
  thread.on('exit', () => reject(new Error('the thread of a page ended without a word')))

  async function serve({ id, url, headers, maxBytes }: ResourceRequest): Promise<void> {
    const { accept = '*/*', ...others } = headers
    const request = { accept, headers: others, maxBytes, payer, timeoutMs: FETCH_TIMEOUT_MS, signal: whole }
    // A redirect is the page's to follow: the browser then asks for its target, and so do we.
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
