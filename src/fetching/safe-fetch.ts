import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { createCheckedLookup, type Resolve, resolveBySystem } from './checked-lookup.ts'
import { readDecoded } from './decoded-body.ts'
import { BlockedTarget, InvalidAnswer, PermanentError, RetryableError, Unreachable } from './failure.ts'
import { mayReach, parseTarget, type TargetRules } from './target.ts'

type FetchRequest = {
  /** Value of `Accept`; default any. */
  readonly accept?: string
  /** Most bytes of the body after decoding. */
  readonly maxBytes: number
  /** Time for everything: names, connections, redirects and the body. */
  readonly timeoutMs: number
  /** Most redirects that are followed; default 5. */
  readonly maxRedirects?: number
  readonly signal?: AbortSignal
}

type FetchedAnswer = {
  /** The URL that answered, after redirects. */
  readonly url: string
  readonly status: number
  /** Names in lower case; values that came several times are joined by a comma. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/**
 * Fetches a URL that someone else named, by GET and without credentials.
 * @throws BlockedTarget, Unreachable, InvalidAnswer or AnswerTooLarge; an HTTP status is never an error.
 */
export type SafeFetch = (url: string, request: FetchRequest) => Promise<FetchedAnswer>

export type SafeFetchOptions = TargetRules & {
  /** How names are resolved; default by the machine. */
  readonly resolve?: Resolve
  /** Value of `User-Agent`. */
  readonly userAgent?: string
}

const REDIRECTS = new Set([301, 302, 303, 307, 308])

/** The one safe way out: every address is checked before the connection to it, on each hop anew. */
export function createSafeFetch(options: SafeFetchOptions): SafeFetch {
  return async (text, request) => {
    const deadline = AbortSignal.timeout(request.timeoutMs)
    const signal = request.signal ? AbortSignal.any([request.signal, deadline]) : deadline
    try {
      return await follow(text, { ...request, signal }, options)
    } catch (error) {
      if (request.signal?.aborted) throw request.signal.reason
      if (deadline.aborted)
        throw new Unreachable(`no full answer within ${request.timeoutMs} ms`, { cause: error })
      if (error instanceof PermanentError || error instanceof RetryableError) throw error
      throw new Unreachable('the host cannot be reached', { cause: error })
    }
  }
}

type Hop = FetchRequest & { readonly signal: AbortSignal }

async function follow(text: string, request: Hop, options: SafeFetchOptions): Promise<FetchedAnswer> {
  let url = parseTarget(text, options)
  for (let hops = request.maxRedirects ?? 5; ; hops -= 1) {
    const answer = await send(url, request, options)
    const { location } = answer.headers
    if (location === undefined || !REDIRECTS.has(answer.statusCode ?? 0)) {
      const body = await readDecoded(answer, request.maxBytes, request.signal)
      return { url: url.href, status: answer.statusCode ?? 0, headers: flatten(answer), body }
    }
    answer.destroy()
    if (hops === 0) throw new InvalidAnswer('there are too many redirects')
    const next = URL.parse(location, url.href)
    if (!next) throw new InvalidAnswer('the redirect leads to no URL')
    url = parseTarget(next.href, options)
  }
}

function send(url: URL, request: Hop, options: SafeFetchOptions): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const start = url.protocol === 'https:' ? requestHttps : requestHttp
  const sent = start(url, {
    // No pool: a kept connection would be reused without its address being checked.
    agent: false,
    lookup: createCheckedLookup(options, options.resolve ?? resolveBySystem),
    signal: request.signal,
    headers: {
      accept: request.accept ?? '*/*',
      'accept-encoding': 'gzip, br',
      'user-agent': options.userAgent ?? 'tollbook',
    },
  })
  sent.on('response', resolve)
  sent.on('error', reject)
  sent.on('socket', (socket) => {
    socket.on('connect', () => {
      // Second belt, should a runtime ever connect without asking the lookup.
      if (!mayReach(socket.remoteAddress ?? '', options)) {
        sent.destroy(new BlockedTarget('the address is not public'))
      }
    })
  })
  sent.end()
  return promise
}

function flatten(answer: IncomingMessage): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(answer.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  )
}
