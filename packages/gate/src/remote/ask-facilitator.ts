import { InvalidAnswer, Unreachable } from '@tollbook/flow/failure'
import { parseJson } from '@tollbook/flow/parse-json'
import { inStep, traceHeaders } from '@tollbook/flow/trace'
import { readBounded } from '@tollbook/http/reply/bounded-body'

/** Answers are a few hundred bytes; `/supported` lists a few dozen kinds. */
const MAX_ANSWER_BYTES = 256 * 1024

export type FacilitatorAnswer = {
  readonly status: number
  /** Null unless it is JSON. */
  readonly body: unknown
  readonly headers: Headers
}

/**
 * Sends one request to a facilitator: GET, or POST of a JSON body.
 * @throws Unreachable, InvalidAnswer, or the signal's reason; no message contains the URL.
 */
export async function askFacilitator(
  url: string,
  body: string | null,
  options: {
    readonly timeoutMs: number
    readonly signal?: AbortSignal | undefined
    /** Sent as `Authorization: Bearer`. */
    readonly key?: string | undefined
    /** Sent as `Idempotency-Key`. */
    readonly idempotencyKey?: string | undefined
  },
): Promise<FacilitatorAnswer> {
  const { timeoutMs, signal, key, idempotencyKey } = options
  const timeout = AbortSignal.timeout(timeoutMs)
  try {
    const send = () =>
      fetch(url, {
        ...(body !== null && { method: 'POST', body }),
        headers: {
          ...(body !== null && { 'content-type': 'application/json' }),
          ...(key !== undefined && { authorization: `Bearer ${key}` }),
          ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
          ...traceHeaders(),
        },
        // A redirected POST would arrive as a GET, whose page is easily mistaken for success.
        redirect: 'manual',
        signal: signal ? AbortSignal.any([timeout, signal]) : timeout,
      })
    const response = await inStep(`facilitator ${url.slice(url.lastIndexOf('/'))}`, send, { kind: 'client' })
    const { bytes, end } = await readBounded(response.body, MAX_ANSWER_BYTES)
    if (end === 'failed') throw new Unreachable('the answer broke off')
    if (end === 'cut') throw new InvalidAnswer("the facilitator's answer is too long")
    return { status: response.status, body: parseJson(bytes), headers: response.headers }
  } catch (error) {
    if (signal?.aborted) throw signal.reason
    if (error instanceof InvalidAnswer) throw error
    throw new Unreachable('the facilitator did not answer')
  }
}
