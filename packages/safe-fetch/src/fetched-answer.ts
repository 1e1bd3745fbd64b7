import type { TlsFacts } from './certificate.ts'

/** Protocols that may be offered over TLS (RFC 7301). */
export type Alpn = 'h2' | 'http/1.1'

/** Headers of a request or an answer: names in lower case, repeated values joined by a comma. */
export type Headers = Readonly<Record<string, string>>

export type FetchRequest = {
  /** Default GET. */
  readonly method?: 'GET' | 'HEAD' | 'POST'
  /** Further headers, names in lower case; a redirect to another origin drops them. */
  readonly headers?: Headers
  /** Of a POST; sent to its own origin only. */
  readonly body?: string | Uint8Array
  /** Value of `Accept`; default any. */
  readonly accept?: string
  /** Maximum number of bytes of the body after decoding. */
  readonly maxBytes: number
  /** Timeout for everything: queueing, name resolution, connections, redirects and the body. */
  readonly timeoutMs: number
  /** Maximum number of redirects to follow; default 5. With 0 a redirect is the answer. */
  readonly maxRedirects?: number
  /** Protocols to offer over TLS; default HTTP/1.1, and HTTP/2 to a host that supports nothing else. */
  readonly alpn?: readonly Alpn[]
  /** `report`: a certificate that is not trusted is reported with the answer; by default it ends the fetch. */
  readonly certificates?: 'require' | 'report'
  /** Whether to read the body; default true. If false, the answer ends with its headers. */
  readonly isBodyRead?: boolean
  /** Called at each step, so that the caller also knows how far a failed request got. It must not throw. */
  readonly onStep?: (step: FetchStep) => void
  /** The payer on whose behalf it runs: each has at most eight fetches running at a time. */
  readonly payer?: string
  readonly signal?: AbortSignal
}

/** Durations of the parts of one request, ms. */
export type Timings = {
  /** 0 for a literal address. */
  readonly dnsMs: number
  readonly connectMs: number
  /** null without TLS. */
  readonly tlsMs: number | null
  /** From the request to the first byte of the answer. */
  readonly firstByteMs: number
}

/** A step that a request has reached. A new `resolved` begins a new connection. Durations, ms. */
export type FetchStep =
  | { readonly kind: 'resolved'; readonly dnsMs: number }
  | { readonly kind: 'connected'; readonly address: string; readonly connectMs: number }
  /** With `tls` if certificates are to be reported. */
  | { readonly kind: 'secured'; readonly tlsMs: number; readonly tls: TlsFacts | null }
  | { readonly kind: 'redirected'; readonly hop: RedirectHop }

export type RedirectHop = {
  readonly url: string
  readonly status: number
  /** Its target, absolute. */
  readonly location: string
  readonly timings: Timings
}

export type FetchedAnswer = {
  /** The URL that answered, after redirects. */
  readonly url: string
  readonly status: number
  readonly headers: Headers
  readonly body: Uint8Array
  readonly httpVersion: '1.0' | '1.1' | '2'
  /** The IP address that answered. */
  readonly address: string
  /** Of the last request. */
  readonly timings: Timings
  /** For everything, including redirects and the body, ms. */
  readonly totalMs: number
  readonly redirects: readonly RedirectHop[]
  /** The host's TLS parameters; null without TLS, and if certificates are not to be reported. */
  readonly tls: TlsFacts | null
}
