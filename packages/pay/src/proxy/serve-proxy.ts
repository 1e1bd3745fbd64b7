import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Problem } from '@tollbook/http/problem'
import { type Dialect, renderProblem, toProblem } from '@tollbook/http/reply/problem-document'
import { dropUnread, RequestBody } from '@tollbook/http/request/request-body'
import type { Answering } from '@tollbook/http/server/route-hosts'
import type { Buyer } from '../buyer.ts'
import { createSpentPages } from './spent-page.ts'

/** A request is stored in memory, because it is sent again after the 402. */
const MAX_BODY_BYTES = 64 * 1024 * 1024
/** For one connection only (RFC 9110 section 7.6.1), and those that fetch sets itself. */
const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]
/** Payments are the proxy's own, and fetch sets the others. */
const NOT_FORWARDED = [
  'host',
  'content-length',
  'expect',
  'accept-encoding',
  'cookie',
  'payment-signature',
  'x-payment',
]
/**
 * The caller's credentials are for another provider, such as the OPENAI_API_KEY of its environment: headers of the
 * packages of OpenAI, Anthropic, Azure, Google, Amazon, Cloudflare, and of gateways and API platforms.
 */
const CREDENTIALS =
  /^(?:x-(?:amz|goog|ms)-.*|.*(?:authorization|api-?key|access-token|secret|(?:access|application|auth|functions|rapidapi|subscription|virtual)-key)|private-token|x-vault-token|helicone-auth)$/

export type ProxyOptions = {
  readonly buyer: Buyer
  /** The origin that receives every request, without a trailing slash. */
  readonly to: string
  /** Whether the caller's credentials are sent to it, too; never its cookies. */
  readonly sendsKeys?: boolean
}

/**
 * Forwards every request to one origin and pays for it. Only programs may use it: a web page could otherwise
 * spend the money of whoever opens it, also by a host name of its own that leads to this machine.
 */
export function createProxy({ buyer, to, sendsKeys = false }: ProxyOptions): Answering {
  const ownPages = createSpentPages(buyer, to)

  async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { url = '/', method = 'GET' } = incoming
    const path = url.split('?', 1)[0] ?? '/'
    const refuse = (problem: Problem) => sendProblem(outgoing, problem, path)
    const own = ownPages.get(path)
    const refusal = findForeign(incoming, own !== undefined)
    if (refusal !== null) return refuse({ code: 'invalid_request', detail: refusal })
    if (own) {
      if (method !== 'GET' && method !== 'HEAD')
        return refuse({
          code: 'method_not_allowed',
          detail: `Only GET ${path}.`,
          headers: { allow: 'GET, HEAD' },
        })
      const { body, headers } = await own(incoming.headers.accept ?? '')
      return void outgoing.writeHead(200, { ...headers, 'cache-control': 'no-store' }).end(body)
    }
    if (!url.startsWith('/'))
      return refuse({ code: 'invalid_request', detail: 'The path must begin with /.' })

    const bytes = await new RequestBody(incoming).read(MAX_BODY_BYTES)
    if (bytes === null) {
      dropUnread(incoming)
      return refuse({ code: 'too_large', detail: `The body may have at most ${MAX_BODY_BYTES} bytes.` })
    }
    const leaving = new AbortController()
    outgoing.once('close', () => leaving.abort(new Error('the caller disconnected')))
    const headers = forwardedHeaders(incoming, sendsKeys)
    const hasBody = bytes.length > 0 && method !== 'GET' && method !== 'HEAD'
    const request = { url: `${to}${url}`, method, headers, ...(hasBody && { body: new Uint8Array(bytes) }) }
    const purchase = await buyer.buy(request, { signal: leaving.signal })
    if (purchase.kind === 'refused') return refuse(purchase.problem)
    const { response, isPaid } = purchase
    let isWhole = false
    try {
      const away = isPaid ? redirectOf(response) : null
      if (away !== null) {
        await response.body?.cancel()
        return refuse(redirected(away))
      }
      outgoing.writeHead(response.status, answerHeaders(response, to)).flushHeaders()
      if (response.body) await pipeline(Readable.fromWeb(response.body as never), outgoing)
      else outgoing.end()
      isWhole = true
    } finally {
      await purchase.close(isWhole)
    }
  }

  return {
    // Every request is answered from its socket.
    fetch: () => new Response(null, { status: 500 }),
    answer(incoming, outgoing) {
      serve(incoming, outgoing).catch((error) => {
        // Cut: the answer has begun, or its reader has gone.
        if (outgoing.headersSent || outgoing.destroyed) outgoing.destroy()
        else sendProblem(outgoing, toProblem(error), incoming.url ?? '/')
      })
      return true
    },
  }
}

/** Why a request may come from a web page; null for one of a program on this machine. */
function findForeign({ headers, socket }: IncomingMessage, isOwnPage: boolean): string | null {
  const { host, origin, referer, 'sec-fetch-site': site } = headers
  const own = ['127.0.0.1', 'localhost', '[::1]'].map((name) => `${name}:${socket.localPort}`)
  if (!host || !own.includes(host.toLowerCase())) return `The Host must be ${own[0]}.`
  const mayRead = isOwnPage && (site === undefined || site === 'none' || site === 'same-origin')
  // Browsers set these headers, and programs do not. Before Sec-Fetch-Site, a page's GET had a Referer alone.
  if (origin !== undefined || (!mayRead && (site !== undefined || referer !== undefined)))
    return 'This proxy spends money, so it refuses requests of browsers (Origin, Referer, Sec-Fetch-Site).'
  return null
}

function forwardedHeaders({ headers, rawHeaders }: IncomingMessage, sendsKeys: boolean): Headers {
  const named = (headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase())
  const removed = new Set([...HOP_BY_HOP, ...NOT_FORWARDED, ...named])
  const forwarded = new Headers()
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? ''
    const lower = name.toLowerCase()
    if (!removed.has(lower) && (sendsKeys || !CREDENTIALS.test(lower)))
      forwarded.append(name, rawHeaders[at + 1] ?? '')
  }
  return forwarded
}

/** Where an answer sends its reader; null if nowhere. */
function redirectOf({ status, headers, url }: Response): string | null {
  const location = headers.get('location')
  if (status < 300 || status > 399 || location === null) return null
  return URL.canParse(location, url) ? new URL(location, url).href : location
}

/** A caller that follows it could come back here, to pay again at each hop. */
function redirected(location: string): Problem {
  return {
    code: 'upstream_failed',
    detail: `The service answered the payment with a redirect, which is not followed: open ${location} to get what was paid for.`,
    members: { location },
  }
}

/** The body has been decoded, so its encoding and length are those of the origin no longer. */
function answerHeaders({ headers }: Response, to: string): Record<string, string | string[]> {
  const removed = new Set(HOP_BY_HOP)
  if (headers.has('content-encoding'))
    for (const name of ['content-encoding', 'content-length']) removed.add(name)
  const answered: Record<string, string | string[]> = {}
  for (const [name, value] of headers) if (!removed.has(name)) answered[name] = value
  const cookies = headers.getSetCookie()
  if (cookies.length > 0) answered['set-cookie'] = cookies
  const location = headers.get('location')
  // The rest of the origin is behind this proxy, too.
  if (location?.startsWith(`${to}/`)) answered.location = location.slice(to.length)
  return answered
}

/** The SDKs of model APIs parse only their own errors. */
function dialectOf(path: string): Dialect {
  if (!path.startsWith('/v1/')) return 'problem'
  return /\/messages(\/|$)/.test(path) ? 'messages' : 'chat'
}

function sendProblem(outgoing: ServerResponse, problem: Problem, path: string): void {
  const { status, headers, body } = renderProblem(problem, { baseUrl: '', dialect: dialectOf(path) })
  outgoing.writeHead(status, headers).end(body)
}
