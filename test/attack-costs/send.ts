import { request } from 'node:http'
import type { PaymentRequired } from '@tollbook/gate/challenge/payment-required'
import { type Payer, type SignOptions, signPayment } from '@tollbook/testing/payments/sign-payment'
import { decodePaymentRequiredHeader } from '@x402/core/http'

export type Order = {
  readonly url: string
  readonly method?: string
  readonly body?: string | Buffer
  /** Default JSON. */
  readonly contentType?: string
  /** Loopback address that the seller sees. */
  readonly from: string
}

export type Answer = {
  /** 0 if the seller closed the connection without an answer. */
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
}

/** No answer takes longer, except one that hangs. */
const HANG_MS = 120_000
/** The answer may still be readable after the connection was closed. */
const LATE_ANSWER_MS = 200

/**
 * Sends a request from a loopback address and reads the whole answer.
 * @param onText receives each chunk of the answer as it arrives.
 */
export function send(
  { url, method = 'GET', body, contentType = 'application/json', from }: Order,
  payment?: string,
  onText: (text: string) => void = () => {},
): Promise<Answer> {
  const headers = {
    ...(body !== undefined && {
      'content-type': contentType,
      'content-length': Buffer.byteLength(body),
    }),
    ...(payment !== undefined && { 'payment-signature': payment }),
  }
  return new Promise((resolve, reject) => {
    const outgoing = request(
      url,
      { method, headers, localAddress: from, signal: AbortSignal.timeout(HANG_MS), agent: false },
      (incoming) => {
        const pieces: string[] = []
        incoming.setEncoding('utf8')
        incoming.on('data', (piece: string) => {
          pieces.push(piece)
          onText(piece)
        })
        const finish = () =>
          resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text: pieces.join('') })
        // If the seller cuts a stream, what arrived until then is the answer.
        incoming.on('end', finish)
        incoming.on('error', finish)
      },
    )
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      // A seller that rejects a body without reading it closes the connection while the body is still being
      // sent.
      if (error.code !== 'EPIPE' && error.code !== 'ECONNRESET') return reject(error)
      setTimeout(() => resolve({ status: 0, headers: {}, text: '' }), LATE_ANSWER_MS)
    })
    outgoing.end(body)
  })
}

/** The 402 of a request without payment and body; null if it is not for sale. */
export async function readChallenge({ url, method = 'GET', from }: Order): Promise<PaymentRequired | null> {
  const { status, headers } = await send({ url, method, from })
  if (status !== 402) return null
  // The SDK's type leaves the extensions open.
  return decodePaymentRequiredHeader(String(headers['payment-required'])) as unknown as PaymentRequired
}

/** Signs a payment for an order; null if it is not for sale. */
export async function signFor(order: Order, payer: Payer, options?: SignOptions): Promise<string | null> {
  const challenge = await readChallenge(order)
  return challenge && signPayment(payer, challenge, options)
}

/** Counts answers by status and code, such as `402 payment_settlement_failed 3`. */
export function countAnswers(answers: readonly Answer[]): string {
  const names = answers.map(({ status, text }) => {
    const code = status === 200 ? undefined : /"code":\s*"([a-z_]+)"/.exec(text)?.[1]
    return status === 0 ? 'cut' : [status, code].filter(Boolean).join(' ')
  })
  return [...Map.groupBy(names, (name) => name)].map(([name, all]) => `${name}: ${all.length}`).join(', ')
}
