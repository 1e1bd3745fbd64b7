import {
  BlockedTarget,
  InvalidAnswer,
  PermanentError,
  RetryableError,
  Unreachable,
} from '@tollbook/flow/failure'
import { createSemaphore } from '@tollbook/flow/semaphore'
import type { FetchedAnswer, FetchRequest, RedirectHop } from './fetched-answer.ts'
import { ask, type OutboundRequest, type PhaseLimits, type Way } from './one-request.ts'
import { createServerResolve, type Resolve, resolveBySystem } from './resolve.ts'
import { takeTurn } from './take-turn.ts'
import { parseTarget, type TargetRules } from './target.ts'

/**
 * Fetches a URL from untrusted input, without credentials or cookies.
 * @throws BlockedTarget, Unreachable, InvalidAnswer, AnswerTooLarge or TooManyFetches; an HTTP status is
 * never an error.
 */
export type SafeFetch = (url: string, request: FetchRequest) => Promise<FetchedAnswer>

export type SafeFetchOptions = TargetRules & {
  /** How names are resolved; default by name servers, or by the machine if the private network is allowed. */
  readonly resolve?: Resolve
  /** Name servers to query, such as `9.9.9.9`; default those of the machine. */
  readonly dnsServers?: readonly string[]
  /** Value of `User-Agent`: identifies the crawler, and where to read about it. */
  readonly userAgent?: string
  /** Certificate authorities that replace the built-in ones, PEM. */
  readonly ca?: readonly string[]
  readonly limits?: Partial<FetchLimits>
}

export type FetchLimits = PhaseLimits & {
  /** Concurrent requests to one host, in this process. */
  readonly perHost: number
  /** Concurrent fetches of one payer, in this process. */
  readonly perPayer: number
  /** Queued requests for one host or payer. */
  readonly maxWaiting: number
}

const LIMITS: FetchLimits = {
  dnsMs: 3_000,
  connectMs: 5_000,
  headersMs: 10_000,
  idleMs: 5_000,
  perHost: 4,
  perPayer: 8,
  maxWaiting: 64,
}
const MAX_REDIRECTS = 5
const USER_AGENT = 'Tollbook'

/** The one safe way to fetch untrusted URLs: every address is checked before the connection to it, on each hop. */
export function createSafeFetch(options: SafeFetchOptions): SafeFetch {
  const limits = { ...LIMITS, ...options.limits }
  // A payer's requests do not delay those of other payers here.
  const payers = createSemaphore({
    max: limits.perPayer,
    maxWaiting: limits.maxWaiting,
    maxPerOwner: limits.perPayer,
  })
  const way = toWay(options)
  return async (text, request) => {
    const deadline = AbortSignal.timeout(request.timeoutMs)
    const signal = request.signal ? AbortSignal.any([request.signal, deadline]) : deadline
    try {
      const end = request.payer === undefined ? () => {} : await takeTurn(payers, request.payer, signal)
      return await follow(text, { ...request, signal }, way).finally(end)
    } catch (error) {
      if (request.signal?.aborted) throw request.signal.reason
      if (error instanceof PermanentError || error instanceof RetryableError) throw error
      const reason = deadline.aborted
        ? `no full answer within ${request.timeoutMs} ms`
        : 'the host cannot be reached'
      throw new Unreachable(reason, { cause: error, isLate: deadline.aborted })
    }
  }
}

/** How requests leave this machine under these options. */
export function toWay(options: SafeFetchOptions): Way {
  const limits = { ...LIMITS, ...options.limits }
  const bySetting = options.allowPrivateNetwork
    ? resolveBySystem
    : createServerResolve(options.dnsServers ?? [])
  return {
    ...limits,
    ...(options.ca && { ca: options.ca }),
    rules: options,
    resolve: options.resolve ?? bySetting,
    userAgent: options.userAgent ?? USER_AGENT,
    hosts: createSemaphore({ max: limits.perHost, maxWaiting: limits.maxWaiting }),
  }
}

async function follow(text: string, first: OutboundRequest, way: Way): Promise<FetchedAnswer> {
  const startedMs = performance.now()
  const maxRedirects = first.maxRedirects ?? MAX_REDIRECTS
  const redirects: RedirectHop[] = []
  let url = parseTarget(text, way.rules)
  let request = first
  for (;;) {
    const requested = await ask(url, request, way)
    if (requested.kind === 'answer') {
      return { ...requested.answer, redirects, totalMs: performance.now() - startedMs }
    }
    if (redirects.length === maxRedirects) throw new InvalidAnswer('there are too many redirects')
    const next = URL.parse(requested.location, url.href)
    if (!next) throw new InvalidAnswer('the redirect does not lead to a URL')
    const { status, timings } = requested
    const hop = { url: url.href, status, location: next.href, timings }
    redirects.push(hop)
    first.onStep?.({ kind: 'redirected', hop })
    request = toNextRequest(request, requested.status, next.origin === url.origin)
    url = parseTarget(next.href, way.rules)
  }
}

/** How a redirect changes a request (RFC 9110 section 15.4, WHATWG Fetch section 4.4). */
function toNextRequest(request: OutboundRequest, status: number, isSameOrigin: boolean): OutboundRequest {
  const { body: _, ...bodiless } = request
  const isPost = request.method === 'POST'
  const isGet = isPost && (status === 301 || status === 302 || status === 303)
  const next: OutboundRequest = isGet ? { ...bodiless, method: 'GET' } : request
  if (isSameOrigin) return next
  if (next.body !== undefined) throw new BlockedTarget('a redirect would send a body to another origin')
  return { ...next, headers: {} }
}
