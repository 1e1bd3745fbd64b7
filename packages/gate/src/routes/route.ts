import { type AtomicUsdc, parseUsd, type UsdText } from '@tollbook/chain/usdc'
import type { Dialect } from '@tollbook/http/reply/problem-document'
import type { RequestHead } from '@tollbook/http/request/message-request'
import type { Scope } from '../contract/paid-route.ts'

/** What a call may cost at most, in dollars; its handler says how much it did, from `min` on (default 0.000001). */
export type UpToPrice = { readonly upTo: UsdText; readonly min?: UsdText }

/** Dollars such as `0.01`, with at most six decimals. */
export type Price = UsdText | UpToPrice

/** What is sold at a path of a server, as its seller declares it. */
export type Route = {
  /** A function sees the request without its body; it runs for every request, and should be quick. */
  readonly price: Price | ((request: RequestHead) => Price | Promise<Price>)
  /** What the caller gets, in a sentence: buyers and catalogues see it before they pay. */
  readonly description: string
  /** Unique in the store; default: method and path pattern, such as `GET /weather/:city`. */
  readonly id?: string
  /** The path pattern, where the framework does not know it; default: the path of the request. */
  readonly path?: string
  /** Max run time of the handler, milliseconds, 1 to 600,000; default 60,000. Then the call fails with an uncharged 504. */
  readonly timeoutMs?: number
  /** Max size of a request's body, bytes; default 1,048,576. A longer one is refused with an uncharged 413. */
  readonly maxBodyBytes?: number
  /** Whose data the answer shows. A `wallet` answer is sent again only to its payer. Default `public`. */
  readonly scope?: Scope
  /** The media type of the answer; default `application/json`. */
  readonly mimeType?: string
  /** What catalogues and agents see of the arguments and the answer. */
  readonly discovery?: RouteExamples
  /** The error envelope; default `problem` (RFC 9457). */
  readonly dialect?: Dialect
  /** Whether the route can be sold now; asked before each 402 and each new call. Default always. */
  readonly isAvailable?: () => boolean
  /**
   * What tells two requests apart: a payment buys one of them. A JSON value. Default: method, path, query, body, and the
   * headers Range, Accept, Accept-Language, Accept-Encoding and Content-Type.
   */
  readonly fingerprint?: (request: RequestHead) => unknown
  /**
   * Whether the handler may run again for the same payment after an error, or after the process ended before the answer
   * was stored: at most three times. Default true.
   */
  readonly rerun?: boolean
}

/** Examples of the arguments and of the answer, and the JSON Schema of the arguments. */
export type RouteExamples = {
  /** Of the query, or of the body for methods other than GET. */
  readonly input?: Readonly<Record<string, unknown>>
  /** JSON Schema 2020-12 of the input: an object. */
  readonly inputSchema?: Readonly<Record<string, unknown>>
  readonly output?: unknown
}

/** A price in micro-USDC. */
export type ParsedPrice =
  | { readonly kind: 'exact'; readonly amount: AtomicUsdc; readonly priceUsd: UsdText }
  | { readonly kind: 'upto'; readonly priceUsd: UsdText; readonly minimumUsd: UsdText }

const MAX_TIMEOUT_MS = 600_000
/** One micro-USDC: a settlement of 0 uses no nonce, so that its payment could buy again. */
const MIN_PRICE: UsdText = '0.000001'

/** @throws TypeError that names the member and says what to write instead. */
export function checkRoute(route: Route): void {
  if (typeof route !== 'object' || route === null)
    throw new TypeError("paid(gate, route): the route is { price: '0.01', description: '…' }")
  if (typeof route.price !== 'function') parsePrice(route.price)
  if (typeof route.description !== 'string' || route.description.trim() === '')
    throw new TypeError('route.description: say in a sentence what the caller gets')
  const { timeoutMs, maxBodyBytes } = route
  if (timeoutMs !== undefined && !(timeoutMs >= 1 && timeoutMs <= MAX_TIMEOUT_MS))
    throw new TypeError(`route.timeoutMs: milliseconds from 1 to ${MAX_TIMEOUT_MS}, not ${timeoutMs}`)
  if (maxBodyBytes !== undefined && !(maxBodyBytes >= 0))
    throw new TypeError(`route.maxBodyBytes: bytes from 0, not ${maxBodyBytes}`)
}

/** @throws TypeError for anything but dollars from 0.000001, as text. */
export function parsePrice(price: Price): ParsedPrice {
  if (typeof price === 'object' && price !== null) {
    const { upTo, min = MIN_PRICE } = price
    if (toAmount(min, 'route.price.min') > toAmount(upTo, 'route.price.upTo'))
      throw new TypeError(`route.price.min: ${min} is more than upTo, ${upTo}`)
    return { kind: 'upto', priceUsd: upTo, minimumUsd: min }
  }
  return { kind: 'exact', amount: toAmount(price, 'route.price'), priceUsd: price }
}

function toAmount(price: unknown, member: string): AtomicUsdc {
  if (typeof price === 'number') throw new TypeError(`${member}: write dollars as text, '${price}'`)
  if (typeof price !== 'string') throw new TypeError(`${member}: write dollars as text, such as '0.01'`)
  if (/^\s*\$/.test(price))
    throw new TypeError(`${member}: write '${price.replace(/[\s$]/g, '')}' without the dollar sign`)
  let amount: AtomicUsdc
  try {
    amount = parseUsd(price)
  } catch {
    throw new TypeError(`${member}: '${price}' is no dollar amount with at most six decimals, such as '0.01'`)
  }
  if (amount === 0n)
    throw new TypeError(`${member}: a free route needs no gate; the least price is ${MIN_PRICE}`)
  return amount
}
