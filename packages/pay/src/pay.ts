import { setTimeout as wait } from 'node:timers/promises'
import { parseJson } from '@tollbook/flow/parse-json'
import { PROBLEMS, type Problem, type ProblemCode } from '@tollbook/http/problem'
import { readBounded } from '@tollbook/http/reply/bounded-body'
import { encodePaymentSignatureHeader } from '@x402/core/http'
import * as z from 'zod'
import { type Chosen, type Limits, type Offer, readOffers } from './offer.ts'
import type { SignedPayment } from './requested.ts'
import { toSellersWords } from './sellers-words.ts'
import { openClient, signFor, Unsignable, type Wallet } from './sign.ts'

/** A request that may be sent several times. */
export type PaidRequest = {
  readonly url: string
  readonly method: string
  readonly headers: Headers
  readonly body?: Uint8Array<ArrayBuffer>
}

export type PaidCall = Wallet &
  Limits & {
    readonly request: PaidRequest
    /** Called once, with the offer; false ends the call unpaid. */
    readonly confirm: (offer: Offer) => Promise<boolean>
    /** Called with each signed payment before it is sent; false ends the call, and the payment is never sent. */
    readonly onSigned?: (payment: SignedPayment) => Promise<boolean>
    /** Called before each retry of the same payment. */
    readonly onRetry: (reason: string) => void
    readonly signal: AbortSignal
  }

export type CallOutcome =
  | { readonly kind: 'unpaid'; readonly response: Response }
  /** Refused already, whatever is paid: `body` is that of the 402. */
  | { readonly kind: 'invalid_arguments'; readonly body: unknown; readonly problem: Problem }
  | { readonly kind: 'no-offer'; readonly reason: string }
  | { readonly kind: 'declined'; readonly offer: Offer }
  | {
      readonly kind: 'answered'
      readonly offer: Offer
      readonly response: Response
    }

/** The maximum price of a call, in dollars, unless the caller sets one. */
export const DEFAULT_MAX_USD = '0.10'
/** Maximum number of times the same signed payment is sent; the server charges it at most once. */
const TRIES = 5
/** Maximum number of times an answer is requested whose body breaks off. */
const BODY_TRIES = 3
/** Chosen: requirements and schemas of a 402 have some kilobytes. */
const MAX_CHALLENGE_BYTES = 1_048_576

/**
 * Calls a paid endpoint: requests the price, checks the offer against the caller's limit, signs once, and
 * sends that one payment until an answer arrives, so that a lost connection never pays twice.
 */
export async function payAndCall(call: PaidCall): Promise<CallOutcome> {
  const first = await send(call, {})
  if (first.status !== 402) return { kind: 'unpaid', response: first }
  const body = await readJson(first)
  const problem = readRefusal(body)
  if (problem) return { kind: 'invalid_arguments', body, problem }

  const chosen = readOffers(first, body, call)
  if (typeof chosen === 'string') return { kind: 'no-offer', reason: chosen }
  if (!(await call.confirm(chosen.offer))) return { kind: 'declined', offer: chosen.offer }

  const response = await pay(call, chosen).catch(toUnsignable)
  if (response instanceof Unsignable) return { kind: 'no-offer', reason: response.message }
  if (response === null) return { kind: 'declined', offer: chosen.offer }
  return { kind: 'answered', offer: chosen.offer, response }
}

function toUnsignable(error: unknown): Unsignable {
  if (error instanceof Unsignable) return error
  throw error
}

async function readJson(response: Response): Promise<unknown> {
  const { bytes } = await readBounded(response.body, MAX_CHALLENGE_BYTES)
  return parseJson(bytes)
}

async function pay(call: PaidCall, chosen: Chosen): Promise<Response | null> {
  const client = openClient(call, chosen.offer)
  const sign = async () => {
    const payment = await signFor(call, chosen, { client, headers: call.request.headers })
    return (await call.onSigned?.(payment)) === false ? null : payment
  }
  const payment = await sign()
  if (payment === null) return null
  const response = await sendPaid(call, payment)
  if (chosen.protocol) return response
  const { recovered } = await client.processPaymentResult(
    payment,
    (name) => response.headers.get(name),
    response.status,
  )
  if (!recovered) return response
  // Calls of the channel that the chain does not show yet: its seller has proved the last voucher. Once only.
  call.onRetry('the channel has paid for other calls; signing its next voucher')
  const next = await sign().catch(toUnsignable)
  return next instanceof Unsignable ? response : next && sendPaid(call, next)
}

/**
 * Sends a request with a signed payment until an answer arrives.
 * @throws the network's error after the last try, or the signal's reason.
 */
export async function sendPaid(
  call: Pick<PaidCall, 'request' | 'onRetry' | 'signal'>,
  payment: SignedPayment,
): Promise<Response> {
  const [name, value] = payment.sentAs ?? ['payment-signature', encodePaymentSignatureHeader(payment)]
  for (let tried = 1; ; tried++) {
    const last = tried === TRIES
    try {
      const response = await send(call, { [name]: value })
      const isPending = response.status === 409 || response.status === 503
      const waitSeconds = Number(response.headers.get('retry-after') ?? Number.NaN)
      if (!isPending || last || !(waitSeconds >= 0 && waitSeconds <= 60)) return response
      call.onRetry(`the service asks to retry in ${waitSeconds} s`)
      await pause(waitSeconds * 1000, call.signal)
    } catch (error) {
      if (last || call.signal.aborted) throw error
      call.onRetry('connection lost; sending the same payment again')
      await pause(tried * 500, call.signal)
    }
  }
}

/**
 * Reads a whole answer; one that breaks off is requested again.
 * @param again sends the same payment, which is charged once; absent for an unpaid call.
 * @throws the network's error after the last try.
 */
export async function readWhole(
  response: Response,
  again?: () => Promise<Response>,
): Promise<Pick<Response, 'ok' | 'status' | 'headers'> & { readonly bytes: Uint8Array }> {
  let current = response
  for (let tried = 1; ; tried++) {
    try {
      const { ok, status, headers } = current
      return { ok, status, headers, bytes: new Uint8Array(await current.arrayBuffer()) }
    } catch (error) {
      if (!again || tried === BODY_TRIES) throw error
    }
    current = await again()
  }
}

/** Redirects are not followed: the payment and the caller's headers are for this origin only. */
async function send(
  call: Pick<PaidCall, 'request' | 'signal'>,
  extra: Record<string, string>,
): Promise<Response> {
  const { url, method, body } = call.request
  const headers = new Headers(call.request.headers)
  for (const [name, value] of Object.entries(extra)) headers.set(name, value)
  return await fetch(url, {
    method,
    headers,
    signal: call.signal,
    redirect: 'manual',
    ...(body !== undefined && { body }),
  })
}

/** @throws the signal's reason */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal }).catch(() => signal.throwIfAborted())
}

/** The problem of a 402 whose arguments are invalid; dialects put it next to their error. */
const ISSUES = z.array(z.object({ parameter: z.string(), detail: z.string() })).optional()
const INVALID_ARGUMENTS = z.object({
  detail: z.string(),
  issues: ISSUES,
  /** The name of `issues` in version 1.0. */
  faults: ISSUES,
  refused_as: z.string(),
})
const INVALID_ANSWER = z.union([
  INVALID_ARGUMENTS,
  z.object({ problem: INVALID_ARGUMENTS }).transform(({ problem }) => problem),
])

const MAX_ISSUES = 20
const MAX_NAME = 100
const MAX_DETAIL = 1000

/** The refusal that the body of a 402 announces for a paid request; null if it announces none. */
function readRefusal(body: unknown): Problem | null {
  const read = INVALID_ANSWER.safeParse(body)
  if (!read.success) return null
  const { faults = [], issues = faults, detail, refused_as: name } = read.data
  const shown = issues.slice(0, MAX_ISSUES).map((issue) => ({
    parameter: toSellersWords(issue.parameter, MAX_NAME),
    detail: toSellersWords(issue.detail, MAX_DETAIL),
  }))
  const text = shown.map((issue) => `${issue.parameter} ${issue.detail}`).join('; ')
  return {
    code: isRefusal(name) ? name : 'invalid_request',
    detail: text || toSellersWords(detail, MAX_DETAIL),
    ...(shown.length > 0 && { issues: shown }),
  }
}

function isRefusal(name: string): name is ProblemCode {
  return Object.hasOwn(PROBLEMS, name) && PROBLEMS[name as ProblemCode].status < 500
}
