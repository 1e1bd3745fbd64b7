import type { CallState } from '@tollbook/gate/state/payment-tables'
import { decodePaymentResponseHeader } from '@x402/core/http'
import { Receipt } from 'mppx'
import type { Hex } from 'viem'
import { type GoodName, LAST_EVENT, STREAMED } from './goods.ts'

/** One call that a buyer wants to make, and its outcome. */
export type Purchase = {
  readonly id: string
  readonly good: GoodName
  readonly path: string
  readonly payer: string
  readonly nonce: Hex
  /** Those that pay. */
  readonly headers: Readonly<Record<string, string>>
  /** Maximum cost in micro-USDC. */
  readonly price: { readonly min: bigint; readonly max: bigint }
  /** Every answer that arrived, complete or not, and every error. */
  readonly outcomes: Outcome[]
  /** The first complete answer. */
  answer: Answered | null
  /** The code of the error that ended it. */
  refusal: string | null
  /** Its state each time a seller was killed, newest last; `none` before it was reserved. */
  readonly deaths: (CallState | 'none')[]
  /**
   * Whether it is a stream that has not begun, whose hash was stored and whose transaction was never sent:
   * nothing is charged for it, and its authorization expires unused.
   */
  isEnding: boolean
  /** How often its handler had run when its answer was first seen in the store. */
  runsWhenStored: number | null
}

export type Answered = {
  readonly kind: 'answered'
  readonly text: string
  /** The settlement that the answer names; null if it names none. */
  readonly receipt: { readonly transaction: string; readonly amount: bigint } | null
}

export type Outcome =
  | Answered
  /** The connection broke: before any answer, or within it. */
  | { readonly kind: 'broken'; readonly text: string }
  /** The caller disconnected. */
  | { readonly kind: 'left' }
  | { readonly kind: 'refused'; readonly status: number; readonly code: string }

/** An answer that has not arrived by then hangs; a settlement may take half a minute. */
const MAX_MS = 300_000

/** Sends the payment of a call to a seller once. */
export async function present(
  sellerUrl: string,
  purchase: Purchase,
  leaving?: AbortSignal,
): Promise<Outcome> {
  const signal = AbortSignal.any([AbortSignal.timeout(MAX_MS), ...(leaving ? [leaving] : [])])
  let text = ''
  try {
    const { headers, path } = purchase
    const response = await fetch(`${sellerUrl}${path}`, { headers, signal })
    if (response.status !== 200) {
      const { code = 'none' } = (await response.json()) as { code?: string }
      return { kind: 'refused', status: response.status, code }
    }
    const decoder = new TextDecoder()
    for await (const piece of response.body ?? []) text += decoder.decode(piece, { stream: true })
    return { kind: 'answered', text, receipt: readReceipt(response.headers, text, purchase) }
  } catch {
    if (leaving?.aborted) return { kind: 'left' }
    return { kind: 'broken', text }
  }
}

/** Whether the answer was complete although its connection broke. */
export function isWhole(purchase: Purchase, text: string): boolean {
  return STREAMED.has(purchase.good) && text.includes(LAST_EVENT)
}

/** Content of an answer: its call, and the run of the handler that produced it. */
export function readSaid(text: string): { readonly call: string; readonly run: string } | null {
  const match = /"call":"([^"]+)","run":"([^"]+)"/.exec(text)
  return match?.[1] && match[2] ? { call: match[1], run: match[2] } : null
}

/** From a header, or from the last comment of a stream that was charged after its end. */
function readReceipt(headers: Headers, text: string, { price }: Purchase): Answered['receipt'] {
  // A receipt of MPP names no amount; it pays fixed prices.
  if (headers.has('payment-receipt'))
    return {
      transaction: Receipt.deserialize(headers.get('payment-receipt') ?? '').reference,
      amount: price.max,
    }
  const header = headers.get('payment-response') ?? headers.get('x-payment-response')
  const encoded = header ?? /^: payment-response (\S+)$/m.exec(text)?.[1]
  if (!encoded) return null
  const { success, transaction, amount } = decodePaymentResponseHeader(encoded)
  return success ? { transaction, amount: BigInt(amount ?? 0) } : null
}
