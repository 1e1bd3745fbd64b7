import type { Headers } from '@tollbook/safe-fetch/fetched-answer'

/** Limits for the requests of a page while it is rendered, and for the time. */
export type RenderLimits = {
  /** Timeout for connecting to the browser, ms. */
  readonly connectMs: number
  /** After this time the page is read in its current state, even if it still loads, ms. */
  readonly settleMs: number
  /** Idle time after loading, without pending requests, after which the page counts as settled, ms. */
  readonly quietMs: number
  readonly maxFetched: number
  /** Maximum requests that the page may make, most of which are blocked; a page with more fails. */
  readonly maxRequests: number
  /** Maximum bytes fetched for the page in total, decoded. */
  readonly maxBytes: number
  /** Maximum bytes of one response, and of the rendered page. */
  readonly maxResourceBytes: number
}

/** What else to do with a page than to read its document. */
export type BrowserOptions = {
  /** A CSS selector: the page is read once an element matches it. */
  readonly waitFor?: string
  /** Draws the page, with its images and stylesheets: the visible part, or the full page. */
  readonly screenshot?: 'view' | 'page'
}

/** A page to render, as received. */
export type RenderTask = {
  /** URL of the browser's debugging protocol: `ws:`, or `http:` to query it for the `ws:` one. */
  readonly browserUrl: string
  readonly limits: RenderLimits
  readonly page: { readonly url: string; readonly headers: Headers; readonly body: Uint8Array }
  readonly options: BrowserOptions
}

/** A request to fetch for a page. */
export type ResourceRequest = {
  readonly url: string
  readonly headers: Headers
  readonly maxBytes: number
}

export type Resource = { readonly status: number; readonly headers: Headers; readonly body: Uint8Array }

export type RenderedDocument = {
  /** The URL to which the page has navigated. */
  readonly url: string
  readonly html: string
  /** PNG, base64. */
  readonly screenshot?: string
}

/** `browser`: it cannot be reached, or disconnected. `page`: the page cannot be rendered. */
export type RenderFailure = { readonly of: 'browser' | 'page'; readonly detail: string }

export class RenderError extends Error {
  override readonly name = 'RenderError'
  readonly failure: RenderFailure
  constructor(failure: RenderFailure, options?: ErrorOptions) {
    super(failure.detail, options)
    this.failure = failure
  }
}
