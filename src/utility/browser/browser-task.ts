import type { Headers } from '../../fetching/fetched-answer.ts'

/** What a page may ask for while it is rendered, and for how long. */
export type RenderLimits = {
  /** For the browser to be reached, ms. */
  readonly connectMs: number
  /** After which the page is taken as it stands, though it still works, ms. */
  readonly settleMs: number
  /** After which it counts as settled, once it was loaded and waits for nothing, ms. */
  readonly quietMs: number
  /** Requests that are fetched for it. */
  readonly maxFetched: number
  /** Requests that it may make, most of which are refused; a page with more of them is given up. */
  readonly maxRequests: number
  /** Of all that is fetched for it, decoded, bytes. */
  readonly maxBytes: number
  /** Of one thing that is fetched for it, and of the page in the end, bytes. */
  readonly largestBytes: number
}

/** A page to be rendered, as it came. */
export type RenderTask = {
  /** Of the browser's debugging protocol: `ws:`, or `http:` to be asked for it. */
  readonly browserUrl: string
  readonly limits: RenderLimits
  readonly page: { readonly url: string; readonly headers: Headers; readonly body: Uint8Array }
}

/** What is to be fetched for a page. */
export type ResourceRequest = {
  readonly id: number
  readonly url: string
  readonly headers: Headers
  readonly maxBytes: number
}

export type Resource = { readonly status: number; readonly headers: Headers; readonly body: Uint8Array }

export type RenderedDocument = {
  /** Where the page has led itself. */
  readonly url: string
  readonly html: string
}

/** From the thread of a page. */
export type RenderReply =
  | { readonly fetch: ResourceRequest }
  | { readonly rendered: RenderedDocument }
  | { readonly failure: RenderFailure }

/** To the thread of a page; null for what could not be fetched. */
export type ResourceReply = { readonly id: number; readonly resource: Resource | null }

/** `browser`: it cannot be reached, or went away. `page`: nothing can be made of the page. */
export type RenderFailure = { readonly of: 'browser' | 'page'; readonly detail: string }

export class RenderError extends Error {
  override readonly name = 'RenderError'
  readonly failure: RenderFailure
  constructor(failure: RenderFailure, options?: ErrorOptions) {
    super(failure.detail, options)
    this.failure = failure
  }
}
