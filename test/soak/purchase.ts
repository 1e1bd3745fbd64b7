import { setTimeout as wait } from 'node:timers/promises'
import type { Random } from '@tollbook/devchain/demo-week/random'
import type { PaymentRequired } from '@tollbook/gate/challenge/payment-required'
import { openProtocol } from '@tollbook/testing/payments/protocols'
import { type Payer, signPayment } from '@tollbook/testing/payments/sign-payment'
import { decodePaymentRequiredHeader, decodePaymentResponseHeader } from '@x402/core/http'
import type { Hex } from 'viem'
import { keccak256, toHex } from 'viem'
import type { Errand } from './errands.ts'
import type { Shop } from './town.ts'

/** One call and its outcome. */
export type Purchase = {
  readonly endpointId: string
  readonly scheme: 'exact' | 'upto'
  readonly payer: string
  /** Null if nothing was signed. */
  readonly nonce: Hex | null
  /** Micro-USDC that was signed for: the price, or under `upto` the maximum. */
  readonly max: bigint
  /** Error code that the answer to the unpaid call announced; null if it announced none. */
  readonly foretold: string | null
  readonly outcome: Outcome
  /** How often the payment was sent, and requests before it that the service could not answer. */
  readonly tries: number
  /** When it began, by `performance.now()`, and how long it took with all its attempts. */
  readonly startedMs: number
  readonly ms: number
}

export type Outcome =
  /** `fault`: what is wrong with the answer. */
  | { readonly kind: 'answered'; readonly receipt: Receipt | null; readonly fault: string | null }
  /** Finally refused; nothing may have been charged. */
  | { readonly kind: 'refused'; readonly status: number; readonly code: string }
  /** No final answer arrived within the time limit. */
  | { readonly kind: 'open'; readonly last: string }

export type Receipt = { readonly transaction: string; readonly amount: bigint }

/** The leases of dead sellers expire within this time. */
const MAX_MS = 120_000
const PAUSE_MS = 250
/** After these the same payment is sent again: it may be settling, or its seller has just died. */
const ASK_AGAIN = new Set(['payment_in_flight', 'settlement_unknown', 'unavailable'])
/** A client that respects Retry-After does not wait longer than this. */
const MAX_PAUSE_MS = 30_000

export type Buyer = {
  /** Creates the nonce of the authorization. */
  readonly id: string
  readonly payer: Payer
  readonly shops: readonly Shop[]
  readonly random: Random
  /** Maximum duration of a call with all its attempts. */
  readonly maxMs?: number
  /** Called with the outcome of each request, paid or not: status, or 0 if the connection broke, and code. */
  readonly onTry?: (status: number, code: string, endpointId: string) => void
}

/**
 * Makes a call as a patient client does: requests the price, signs once, and sends that one payment until it
 * gets a final answer.
 */
export async function buy(
  errand: Errand,
  { id, payer, shops, random, maxMs = MAX_MS, onTry }: Buyer,
): Promise<Purchase> {
  const startedMs = performance.now()
  const base = { endpointId: errand.endpointId, scheme: errand.scheme, payer: payer.address.toLowerCase() }
  let foretold: string | null = null
  let refusals = 0
  const end = (nonce: Hex | null, max: bigint, tries: number, outcome: Outcome): Purchase => ({
    ...base,
    nonce,
    max,
    foretold,
    tries: tries + refusals,
    outcome,
    startedMs,
    ms: performance.now() - startedMs,
  })
  const untilMs = startedMs + maxMs
  const sellers = shops.filter(({ sells }) => sells === errand.service)

  let challenge: PaymentRequired | null = null
  let unpaid: Headers | null = null
  while (!challenge || !unpaid) {
    const asked = await send(errand, choose(sellers, random), null)
    onTry?.(asked.status, asked.code, errand.endpointId)
    foretold = asked.refusedAs
    if (asked.status === 402) [challenge, unpaid] = [asked.challenge, asked.headers]
    else if (asked.status > 0 && !ASK_AGAIN.has(asked.code))
      return end(null, 0n, 0, { kind: 'refused', ...asked })
    else if (performance.now() > untilMs) return end(null, 0n, 0, { kind: 'open', last: asked.code })
    else {
      refusals += 1
      await wait(asked.pauseMs)
    }
  }
  const terms = challenge.accepts.find(({ scheme }) => scheme === errand.scheme)
  if (!terms) return end(null, 0n, 0, { kind: 'refused', status: 402, code: `${errand.scheme} not offered` })
  const { protocol, isWhole } = chooseProtocol(errand, unpaid, random)
  const nonce = protocol.options.nonce ?? keccak256(toHex(id))
  const identifier = `payment_${nonce.slice(2, 34)}`
  const options = { ...protocol.options, scheme: errand.scheme, nonce, ...(isWhole && { identifier }) }
  const signed = protocol.headers(await signPayment(payer, challenge, options))
  const payment = isWhole ? signed : { ...signed, 'idempotency-key': identifier }
  const max = BigInt(terms.amount)
  for (let tries = 1; ; tries += 1) {
    const answer = await send(errand, choose(sellers, random), payment)
    onTry?.(answer.status, answer.code, errand.endpointId)
    if (answer.status >= 200 && answer.status < 300)
      return end(nonce, max, tries, { kind: 'answered', receipt: answer.receipt, fault: answer.fault })
    if (answer.status > 0 && !ASK_AGAIN.has(answer.code))
      return end(nonce, max, tries, { kind: 'refused', status: answer.status, code: answer.code })
    if (performance.now() > untilMs) return end(nonce, max, tries, { kind: 'open', last: answer.code })
    await wait(answer.pauseMs)
  }
}

/** A third of the calls at a fixed price for each protocol. */
function chooseProtocol({ scheme, fetch }: Errand, unpaid: Headers, random: Random) {
  const chance = scheme === 'exact' && !fetch ? random() * 3 : 3
  const canMpp = unpaid.has('www-authenticate')
  const name = chance < 1 && canMpp ? 'MPP' : chance < 2 ? 'x402 version 1' : 'x402 version 2'
  return {
    protocol: openProtocol(name, new Response(null, { status: 402, headers: unpaid })),
    isWhole: name === 'x402 version 2',
  }
}

function choose(sellers: readonly Shop[], random: Random): Shop {
  const open = sellers.filter(({ isUp }) => isUp)
  const seller = open[Math.floor(random() * open.length)] ?? sellers[0]
  if (!seller) throw new Error('nobody sells this')
  return seller
}

type Answer = {
  /** 0: the connection broke. */
  readonly status: number
  readonly code: string
  /** In a 402: why the call would be refused, paid or not. */
  readonly refusedAs: string | null
  readonly challenge: PaymentRequired | null
  readonly headers: Headers | null
  readonly receipt: Receipt | null
  readonly fault: string | null
  /** What `Retry-After` asks for. */
  readonly pauseMs: number
}

async function send(
  errand: Errand,
  { url }: Shop,
  payment: Readonly<Record<string, string>> | null,
): Promise<Answer> {
  const { path, init } = errand.request()
  const headers = new Headers(init.headers)
  for (const [name, value] of Object.entries(payment ?? {})) headers.set(name, value)
  try {
    const response = await (errand.fetch ?? fetch)(url + path, {
      ...init,
      headers,
      signal: AbortSignal.timeout(MAX_MS),
    })
    const text = await response.text()
    if (response.ok) errand.onAnswer?.(text)
    const required = response.headers.get('payment-required')
    return {
      status: response.status,
      code: response.ok ? 'ok' : codeOf(text),
      refusedAs: response.ok ? null : (/"refused_as":\s*"([a-z_]+)"/.exec(text)?.[1] ?? null),
      challenge: required ? (decodePaymentRequiredHeader(required) as unknown as PaymentRequired) : null,
      headers: response.headers,
      pauseMs: pauseOf(response.headers),
      fault: response.ok ? (errand.findFault?.(text) ?? null) : null,
      receipt: receiptOf(
        response.headers.get('payment-response') ?? response.headers.get('x-payment-response'),
      ),
    }
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error)
    return {
      status: 0,
      code: cause,
      refusedAs: null,
      challenge: null,
      headers: null,
      receipt: null,
      fault: null,
      pauseMs: PAUSE_MS,
    }
  }
}

function pauseOf(headers: Headers): number {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN)
  return Number.isFinite(seconds) ? Math.min(seconds * 1_000, MAX_PAUSE_MS) : PAUSE_MS
}

/** The code of a problem, which is next to the envelope of a dialect or within it. */
function codeOf(text: string): string {
  return /"code":\s*"([a-z_]+)"/.exec(text)?.[1] ?? 'no code'
}

function receiptOf(header: string | null): Receipt | null {
  if (!header) return null
  const { success, transaction, amount } = decodePaymentResponseHeader(header)
  return success ? { transaction, amount: BigInt(amount ?? 0) } : null
}
