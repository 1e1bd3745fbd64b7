import { x402Client, x402HTTPClient } from '@x402/core/client'
import {
  decodePaymentRequiredHeader,
  decodePaymentResponseHeader,
  encodePaymentSignatureHeader,
} from '@x402/core/http'
import type { PaymentPayload, PaymentRequired, PaymentRequirements, SettleResponse } from '@x402/core/types'
import { toClientEvmSigner } from '@x402/evm'
import { BatchSettlementEvmScheme, InMemoryClientChannelStorage } from '@x402/evm/batch-settlement/client'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { UptoEvmScheme } from '@x402/evm/upto/client'
import { appendPaymentIdentifierToExtensions, isValidPaymentId } from '@x402/extensions/payment-identifier'
import { createPublicClient, custom } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { createReadRpc } from '../chain/rpc/read-rpc.ts'
import type { Problem } from '../http/problem.ts'
import { readBounded } from '../http/reply/bounded-body.ts'
import { BASE } from '../money/base.ts'
import { type AtomicUsdc, formatUsd } from '../money/usdc.ts'
import { readRefusal } from './read-refusal.ts'

/** `batch-settlement` pays from a channel, and is chosen only by its name. */
export type PaymentScheme = 'exact' | 'upto' | 'batch-settlement'

/** The payment that a service requests, before anything is signed. */
export type Offer = {
  readonly scheme: PaymentScheme
  /** The price under `exact`, the maximum under `upto`. */
  readonly amount: AtomicUsdc
  /** What goes to a channel if it holds less than the price; it stays the payer's. */
  readonly deposit?: AtomicUsdc
  readonly payTo: string
  readonly description: string
}

/** A request that may be sent several times. */
export type PaidRequest = {
  readonly url: string
  readonly method: string
  readonly headers: Headers
  readonly body?: Uint8Array<ArrayBuffer>
}

export type PaidCall = {
  readonly request: PaidRequest
  readonly key: `0x${string}`
  readonly rpcUrl: string
  readonly max: AtomicUsdc
  readonly scheme?: PaymentScheme
  /** Called once, with the offer; false ends the call unpaid. */
  readonly confirm: (offer: Offer) => Promise<boolean>
  /** Called with each signed payment before it is sent; false ends the call, and the payment is never sent. */
  readonly onSigned?: (payment: PaymentPayload) => Promise<boolean>
  /** Called before each retry of the same payment. */
  readonly onRetry: (reason: string) => void
  readonly signal: AbortSignal
}

export type CallOutcome =
  | { readonly kind: 'unpaid'; readonly response: Response }
  /** Refused already, whatever is paid: `body` is that of the 402. */
  | { readonly kind: 'faulty'; readonly body: unknown; readonly problem: Problem }
  | { readonly kind: 'no-offer'; readonly reason: string }
  | { readonly kind: 'declined'; readonly offer: Offer }
  | {
      readonly kind: 'answered'
      readonly offer: Offer
      readonly response: Response
      readonly settlement: SettleResponse | null
    }

/** Maximum number of times the same signed payment is sent; the server charges it at most once. */
const TRIES = 5
/** Chosen: requirements and schemas of a 402 have some kilobytes. */
const MAX_CHALLENGE_BYTES = 1_048_576

/**
 * Calls a paid endpoint: requests the price, checks the offer against the caller's limit, signs once, and
 * sends that one payment until an answer arrives, so that a lost connection never pays twice.
 */
export async function payAndCall(call: PaidCall): Promise<CallOutcome> {
  const first = await send(call, {})
  if (first.status !== 402) return { kind: 'unpaid', response: first }
  const header = first.headers.get('payment-required')
  if (!header) return { kind: 'no-offer', reason: 'the 402 has no PAYMENT-REQUIRED header (x402 version 2)' }
  const body = await readJson(first)
  const problem = readRefusal(body)
  if (problem) return { kind: 'faulty', body, problem }

  const chosen = readOffer(header, call)
  if (typeof chosen === 'string') return { kind: 'no-offer', reason: chosen }
  if (!(await call.confirm(chosen.offer))) return { kind: 'declined', offer: chosen.offer }

  const response = await pay(call, chosen).catch((error: unknown) => {
    if (error instanceof Unsignable) return error
    throw error
  })
  if (response instanceof Unsignable) return { kind: 'no-offer', reason: response.message }
  if (response === null) return { kind: 'declined', offer: chosen.offer }
  return { kind: 'answered', offer: chosen.offer, response, settlement: readSettlement(response) }
}

/** The receipt of an answer; null without one that can be read. */
export function readSettlement({ headers }: Response): SettleResponse | null {
  try {
    return decodePaymentResponseHeader(headers.get('payment-response') ?? '')
  } catch {
    return null
  }
}

async function readJson(response: Response): Promise<unknown> {
  const { bytes } = await readBounded(response.body, MAX_CHALLENGE_BYTES)
  try {
    return JSON.parse(bytes.toString())
  } catch {
    return null
  }
}

/** What will be signed. */
export type Chosen = {
  readonly required: PaymentRequired
  readonly offer: Offer
  readonly terms: PaymentRequirements
}

/** The offer of a `PAYMENT-REQUIRED` header that is within the caller's limit, or why there is none. */
export function readOffer(header: string, call: Pick<PaidCall, 'max' | 'scheme'>): Chosen | string {
  try {
    return chooseOffer(decodePaymentRequiredHeader(header), call)
  } catch {
    return 'the PAYMENT-REQUIRED header of the 402 cannot be read'
  }
}

function chooseOffer(required: PaymentRequired, call: Pick<PaidCall, 'max' | 'scheme'>): Chosen | string {
  const schemes = call.scheme ? [call.scheme] : (['exact', 'upto'] as const)
  const known = required.accepts.flatMap((terms) => {
    const scheme = schemes.find((name) => name === terms.scheme)
    const isUsdc = terms.network === BASE.network && terms.asset.toLowerCase() === BASE.usdc.toLowerCase()
    return scheme && isUsdc ? [{ terms, scheme, amount: BigInt(terms.amount) }] : []
  })
  if (known.length === 0)
    return `the service does not accept USDC on Base by ${call.scheme ?? 'exact or upto'}`
  const cheap = known.find(({ amount }) => amount <= call.max)
  if (!cheap) return `${known.map(({ amount }) => `$${formatUsd(amount)}`).join(' and ')} is above --max`
  const { terms, scheme, amount } = cheap
  const deposit = scheme === 'batch-settlement' ? { deposit: depositOf(terms) } : {}
  if ((deposit.deposit ?? 0n) > call.max)
    return `the deposit of $${formatUsd(depositOf(terms))} is above --max`
  const description = required.resource?.description ?? ''
  return { required, terms, offer: { scheme, amount, ...deposit, payTo: terms.payTo, description } }
}

/** What a settlement says was charged; its `amount` is that of the deposit if a channel paid. */
export function chargeOf({ scheme, amount }: Offer, { amount: settled, extra }: SettleResponse): AtomicUsdc {
  const charged = scheme === 'batch-settlement' ? extra?.chargedAmount : settled
  return typeof charged === 'string' && /^\d+$/.test(charged) ? BigInt(charged) : amount
}

/** A deposit of the announced minimum, or of five calls. */
function depositOf({ amount, extra }: PaymentRequirements): AtomicUsdc {
  const least = extra.minDeposit
  return typeof least === 'string' && /^\d+$/.test(least) ? BigInt(least) : 5n * BigInt(amount)
}

/** Terms that no scheme signs, or a chain that could not be read for it. Nothing was paid. */
class Unsignable extends Error {}

async function pay(call: PaidCall, { required, terms, offer }: Chosen): Promise<Response | null> {
  const client = openClient(call, offer)
  const extensions = appendPaymentIdentifierToExtensions(
    structuredClone(required.extensions ?? {}),
    ...identifierOf(call.request.headers),
  )
  const sign = async () => {
    const unsigned = { ...required, accepts: [terms], extensions }
    const payment = await client.createPaymentPayload(unsigned).catch((error: unknown) => {
      const [reason] = String(error instanceof Error ? error.message : error).split('\n', 1)
      throw new Unsignable(`no payment can be signed: ${reason}`)
    })
    return (await call.onSigned?.(payment)) === false ? null : payment
  }
  const payment = await sign()
  if (payment === null) return null
  const response = await sendPaid(call, payment)
  const { recovered } = await client.processPaymentResult(
    payment,
    (name) => response.headers.get(name),
    response.status,
  )
  if (!recovered) return response
  // Calls of the channel that the chain does not show yet: its seller has proved the last voucher. Once only.
  call.onRetry('the channel has paid for other calls; signing its next voucher')
  const next = await sign()
  return next && sendPaid(call, next)
}

/** Signs a payment that the caller presents itself. */
export function signOffer(
  wallet: Pick<PaidCall, 'key' | 'rpcUrl'>,
  { required, terms, offer }: Chosen,
): Promise<PaymentPayload> {
  return openClient(wallet, offer).createPaymentPayload({ ...required, accepts: [terms] })
}

/** The caller's own payment-identifier: a seller refuses a payment with another one. */
function identifierOf(headers: Headers): [] | [string] {
  const key = headers.get('idempotency-key')?.replace(/^"(.*)"$/, '$1')
  return key !== undefined && isValidPaymentId(key) ? [key] : []
}

function openClient(call: Pick<PaidCall, 'key' | 'rpcUrl'>, { deposit }: Offer): x402HTTPClient {
  const rpc = createReadRpc({ url: call.rpcUrl })
  const signer = toClientEvmSigner(
    privateKeyToAccount(call.key),
    createPublicClient({
      transport: custom({ request: ({ method, params }) => rpc.call(method, params ?? []) }),
    }),
  )
  const client = new x402Client()
    .register(BASE.network, new ExactEvmScheme(signer))
    .register(BASE.network, new UptoEvmScheme(signer))
    .register(
      BASE.network,
      new BatchSettlementEvmScheme(signer, {
        storage: new InMemoryClientChannelStorage(),
        depositStrategy: ({ minimumDepositAmount }) => {
          if (deposit !== undefined && BigInt(minimumDepositAmount) <= deposit) return deposit
          throw new Error('the deposit that was confirmed does not cover the next call of its channel')
        },
      }),
    )
    // The caller's own --max was already checked; the SDK's default limit of one dollar would override a
    // higher one.
    .setSpendControls(false)
  return new x402HTTPClient(client)
}

/**
 * Sends a request with a signed payment until an answer arrives.
 * @throws the network's error after the last try, or the signal's reason.
 */
export async function sendPaid(
  call: Pick<PaidCall, 'request' | 'onRetry' | 'signal'>,
  payment: PaymentPayload,
): Promise<Response> {
  const signature = encodePaymentSignatureHeader(payment)
  for (let tried = 1; ; tried++) {
    const last = tried === TRIES
    try {
      const response = await send(call, { 'payment-signature': signature })
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

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal.addEventListener('abort', stop, { once: true })
  })
}
