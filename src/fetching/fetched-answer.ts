import type { TlsFacts } from './certificate.ts'

/** Protocols over TLS that may be offered (RFC 7301). */
export type Alpn = 'h2' | 'http/1.1'

/** Headers of a request or an answer: names in lower case, values that came several times joined by a comma. */
export type Headers = Readonly<Record<string, string>>

export type FetchRequest = {
  /** Default GET. */
  readonly method?: 'GET' | 'HEAD' | 'POST'
  /** Further headers, names in lower case; a redirect to another origin drops them. */
  readonly headers?: Headers
  /** Of a POST; it is sent to its own origin alone. */
  readonly body?: string | Uint8Array
  /** Value of `Accept`; default any. */
  readonly accept?: string
  /** Most bytes of the body after decoding. */
  readonly maxBytes: number
  /** Time for everything: waiting for a turn, names, connections, redirects and the body. */
  readonly timeoutMs: number
  /** Most redirects that are followed; default 5. With 0 a redirect is the answer. */
  readonly maxRedirects?: number
  /** Protocols that are offered over TLS; default HTTP/1.1, and HTTP/2 to a host that knows nothing else. */
  readonly alpn?: readonly Alpn[]
  /** `report`: a certificate that is not trusted is told beside the answer; default it ends the fetch. */
  readonly certificates?: 'require' | 'report'
  /** Whether the body is read; default true. Without, the answer stands once its headers have come. */
  readonly isBodyRead?: boolean
  /** Told as it comes, so that what a failed request reached is known, too. It must not throw. */
  readonly onStep?: (step: FetchStep) => void
  /** Who asks for it: nobody keeps more than eight fetches going at a time. */
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

/** What a request has reached. A new `resolved` begins a new connection. Durations, ms. */
export type FetchStep =
  | { readonly kind: 'resolved'; readonly dnsMs: number }
  | { readonly kind: 'connected'; readonly address: string; readonly connectMs: number }
  /** With `tls` where certificates are to be reported. */
  | { readonly kind: 'secured'; readonly tlsMs: number; readonly tls: TlsFacts | null }
  | { readonly kind: 'redirected'; readonly hop: RedirectHop }

/** One redirect that was followed. */
export type RedirectHop = {
  /** The URL that redirected. */
  readonly url: string
  readonly status: number
  /** Where it led, absolute. */
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
  /** For everything, redirects and body included, ms. */
  readonly totalMs: number
  readonly redirects: readonly RedirectHop[]
  /** What the host shows of itself; null without TLS, and where certificates are not to be reported. */
  readonly tls: TlsFacts | null
}
