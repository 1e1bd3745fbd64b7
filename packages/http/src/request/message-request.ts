import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'

/** A request without its body: both a `Request` and the message of a socket have these members. */
export type RequestHead = Pick<Request, 'method' | 'url' | 'signal'> & {
  readonly headers: Pick<Headers, 'get' | 'has'>
}

/** Targets that need no normalization: a path and a query without anything that a URL parser would change. */
const PLAIN_TARGET = /^\/[!$-;=?-[\]_a-z~]*$/
/**
 * The same for hosts, as far as letters go: `a.1` does not match. The HTTP adapter reads everything else and
 * knows what is still valid.
 */
const PLAIN_HOST = /^[a-z0-9._-]+(?::[1-9]\d{1,4})?$/

/** A plain request, read from the message of its socket: the adapter's `Request` costs some 5 microseconds more. */
export class MessageRequest implements RequestHead {
  readonly method: string
  readonly url: string
  /** The path of the target, without its query. */
  readonly path: string
  readonly headers: MessageHeaders
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
  #leaving: AbortController | undefined

  private constructor(incoming: IncomingMessage, outgoing: ServerResponse, host: string, target: string) {
    const query = target.indexOf('?')
    this.method = incoming.method ?? ''
    this.url = `http://${host}${target}`
    this.path = query < 0 ? target : target.slice(0, query)
    this.headers = new MessageHeaders(incoming.headers)
    this.incoming = incoming
    this.outgoing = outgoing
  }

  /** Null if target or host need full parsing. */
  static read(incoming: IncomingMessage, outgoing: ServerResponse): MessageRequest | null {
    const { url: target = '', headers } = incoming
    const { host = '' } = headers
    if (!PLAIN_HOST.test(host) || !PLAIN_TARGET.test(target) || !URL.canParse(`http://${host}`)) return null
    return new MessageRequest(incoming, outgoing, host, target)
  }

  /** Aborted when the client disconnects before its answer is written; created on first use. */
  get signal(): AbortSignal {
    if (!this.#leaving) {
      const leaving = new AbortController()
      const { outgoing } = this
      const leave = () => {
        if (!outgoing.writableFinished) leaving.abort(new Error('the client disconnected'))
      }
      if (outgoing.closed || outgoing.destroyed) leave()
      else outgoing.once('close', leave)
      this.#leaving = leaving
    }
    return this.#leaving.signal
  }
}

class MessageHeaders {
  readonly #given: IncomingHttpHeaders

  constructor(given: IncomingHttpHeaders) {
    this.#given = given
  }

  get(name: string): string | null {
    const value = this.#given[name.toLowerCase()]
    if (typeof value === 'string') return value
    return Array.isArray(value) ? value.join(', ') : null
  }

  has(name: string): boolean {
    return this.get(name) !== null
  }
}
