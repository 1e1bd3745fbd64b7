import type { LocalAccount } from 'viem'
import {
  chargeOf,
  type Offer,
  type PaidRequest,
  payAndCall,
  readSettlement,
  sendPaid,
} from '../src/buying/pay.ts'
import { type CallForm, toCallParts, toCallUrl, toTexts } from '../src/catalogue/call-parts.ts'
import { readEventData } from '../src/models/event-stream.ts'
import { formatUsd, parseUsd } from '../src/money/usdc.ts'

type ServiceName = 'social' | 'utility' | 'inference'

export type TollbookOptions = {
  /** The payer: a private key, or an account of viem. */
  readonly key: `0x${string}` | LocalAccount
  /**
   * Dollars that all calls of this client may cost together. It is in memory: another process has its own. A metered
   * call counts with its maximum, and so does each payment that was sent, whatever the service answered.
   */
  readonly budget: string | number
  /** The maximum price of a call in dollars; default 0.10. */
  readonly max?: string | number
  /** The origins of the services; default those of this machine. */
  readonly origins?: Readonly<Partial<Record<ServiceName, string>>>
  /** JSON-RPC of Base, which only metered calls read; default the local chain. */
  readonly rpcUrl?: string
}

export type CallOptions = {
  readonly signal?: AbortSignal
  /** 16 to 128 letters, digits, `-` and `_`: calls with the same one are charged once, also in another process. */
  readonly idempotencyKey?: string
}

export type Receipt = {
  /** The hash of the transaction that paid. */
  readonly transaction: string
  /** What was charged, in dollars. */
  readonly amountUsd: string
  readonly payer: string
}

export type Result<Data> = {
  readonly data: Data
  readonly contentType: string
  /** Null if the call was free, and until the end of a metered stream. */
  readonly receipt: Receipt | null
}

/** What `JSON.parse` returns. */
type Json = ReturnType<typeof JSON.parse>
/** The parsed events of a stream as they arrive. */
export type Events = AsyncIterable<Json>

export type Method<Input, Output> = (input: Input, options?: CallOptions) => Promise<Result<Output>>
export type OptionalMethod<Input, Output> = (input?: Input, options?: CallOptions) => Promise<Result<Output>>
/** With `stream: true` the data are events. */
export type StreamingMethod<Input, Output> = <Sent extends Input>(
  input: Sent,
  options?: CallOptions,
) => Promise<Result<Sent extends { readonly stream: true } ? Events : Output>>

/** In dollars. */
export type Spending = { readonly budgetUsd: string; readonly spentUsd: string; readonly leftUsd: string }

/** A call without a usable answer. */
export class TollbookError extends Error {
  override readonly name = 'TollbookError'
  /**
   * The code of the service's problem; or `budget`, `no_offer` (nothing that this client signs, or above `max`),
   * `unreachable` (before a payment was sent), `connection_lost` (after it).
   */
  readonly code: string
  /** The HTTP status; null without an answer. */
  readonly status: number | null
  /** The body of the answer, parsed if it is JSON. */
  readonly problem: unknown
  /** Of a call that was charged nevertheless, as an answer that was cut; null for all others. */
  readonly receipt: Receipt | null

  constructor(
    code: string,
    message: string,
    { status = null, problem, receipt = null, cause }: Partial<Omit<TollbookError, 'code' | 'message'>> = {},
  ) {
    super(message, { cause })
    this.code = code
    this.status = status
    this.problem = problem
    this.receipt = receipt
  }
}

/** What a client knows of the services, and the defaults of its options. */
type Catalogue = {
  readonly forms: Readonly<Record<ServiceName, Readonly<Record<string, CallForm>>>>
  readonly max: string
  readonly origins: Readonly<Record<ServiceName, string>>
  readonly rpcUrl: string
}

type Input = Readonly<Record<string, unknown>>

/** How often an answer is requested whose body breaks off. */
const TRIES = 3

export function createClient<Client>(catalogue: Catalogue, options: TollbookOptions): Client {
  const { key, rpcUrl = catalogue.rpcUrl } = options
  const budget = parseUsd(`${options.budget}`)
  const max = parseUsd(`${options.max ?? catalogue.max}`)
  let committed = 0n

  async function call(request: PaidRequest, signal: AbortSignal): Promise<Result<unknown>> {
    let reserved = 0n
    let payment: Parameters<typeof sendPaid>[1] | undefined
    const sent = { request, signal, onRetry: () => {} }
    const outcome = await payAndCall({
      ...sent,
      key,
      rpcUrl,
      max,
      confirm: async ({ amount }) => {
        if (committed + amount > budget) return false
        committed += amount
        reserved = amount
        return true
      },
      onSigned: async (signed) => {
        payment = signed
        return true
      },
    })
      .catch((error: unknown) => {
        throw lost(error, payment !== undefined)
      })
      .finally(() => {
        // Without a signature the service cannot settle anything.
        if (payment === undefined) committed -= reserved
      })
    switch (outcome.kind) {
      case 'declined':
        throw new TollbookError(
          'budget',
          `the budget of $${formatUsd(budget)} does not cover $${formatUsd(outcome.offer.amount)}: $${formatUsd(committed)} is spent`,
        )
      case 'no-offer':
        throw new TollbookError('no_offer', outcome.reason.replace('--max', 'max'), { status: 402 })
      case 'faulty':
        throw toError(402, outcome.problem, null)
      case 'unpaid':
        return await toResult(outcome.response, null)
      case 'answered': {
        const again = payment && (() => sendPaid(sent, payment as NonNullable<typeof payment>))
        return await toResult(outcome.response, outcome.offer, again)
      }
      default:
        throw new Error('unreachable', { cause: outcome satisfies never })
    }
  }

  const methodsOf = (name: ServiceName) => {
    const { origin } = new URL(options.origins?.[name] ?? catalogue.origins[name])
    const toEntry = ([method, form]: [string, CallForm]) => [
      method,
      async (
        input: Input = {},
        { signal = new AbortController().signal, idempotencyKey }: CallOptions = {},
      ) => await call(await toRequest(origin, form, input, idempotencyKey), signal),
    ]
    return [name, Object.fromEntries(Object.entries(catalogue.forms[name]).map(toEntry))]
  }
  const spent = (): Spending => ({
    budgetUsd: formatUsd(budget),
    spentUsd: formatUsd(committed),
    leftUsd: formatUsd(budget - committed),
  })
  const names = Object.keys(catalogue.forms) as ServiceName[]
  return { ...Object.fromEntries(names.map(methodsOf)), spent } as Client
}

async function toRequest(
  origin: string,
  form: CallForm,
  input: Input,
  idempotencyKey: string | undefined,
): Promise<PaidRequest> {
  const provided = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined))
  const parts = toCallParts(form, provided)
  const url = toCallUrl(origin, form, provided, parts)
  if (typeof url === 'string')
    throw new TollbookError('invalid_request', `${url} has no value for ${form.path}`)
  const headers = new Headers({ accept: 'application/json, */*;q=0.5' })
  if (idempotencyKey !== undefined) headers.set('idempotency-key', idempotencyKey)
  const request = { url: url.href, method: form.method, headers }
  if (!parts.body) return request
  const encoded =
    parts.body.kind === 'json' ? Response.json(parts.body.value) : new Response(toFormData(parts.body.fields))
  headers.set('content-type', encoded.headers.get('content-type') ?? '')
  return { ...request, body: new Uint8Array(await encoded.arrayBuffer()) }
}

function toFormData(fields: readonly (readonly [string, unknown])[]): FormData {
  const form = new FormData()
  for (const [name, value] of fields) {
    if (value instanceof Blob) form.append(name, value)
    else for (const text of toTexts(value)) form.append(name, text)
  }
  return form
}

/** @throws TollbookError for an error, and for an answer that does not arrive. */
async function toResult(
  response: Response,
  offer: Offer | null,
  again?: () => Promise<Response>,
): Promise<Result<unknown>> {
  const { body, headers, ok, status } = response
  const contentType = headers.get('content-type') ?? ''
  const result = { data: undefined as unknown, contentType, receipt: toReceipt(headers, offer) }
  if (ok && body && /^text\/event-stream|^application\/x-ndjson/.test(contentType)) {
    // A metered stream ends with its receipt.
    const onComment = (text: string) => {
      const [name, value = ''] = text.split(' ')
      if (name === 'payment-response')
        result.receipt = toReceipt(new Headers({ 'payment-response': value }), offer)
    }
    const texts = contentType.startsWith('text/') ? readEventData(body, onComment) : readLines(body)
    result.data = readEvents(texts, () => result.receipt)
    return result
  }
  const bytes = await readWhole(response, again)
  result.data = /[/+]json\b/.test(contentType)
    ? parse(bytes)
    : /^text\//.test(contentType)
      ? toText(bytes)
      : bytes
  if (!ok) throw toError(status, result.data, result.receipt)
  return result
}

/** The receipt of a settled payment; null without one. */
function toReceipt(headers: Headers, offer: Offer | null): Receipt | null {
  const settlement = readSettlement({ headers })
  if (!offer || !settlement?.success) return null
  const { transaction, payer = '' } = settlement
  return { transaction, payer, amountUsd: formatUsd(chargeOf(offer, settlement)) }
}

/** The body; one that breaks off is requested again with the same payment, which is charged once. */
async function readWhole(response: Response, again?: () => Promise<Response>): Promise<Uint8Array> {
  let current = response
  for (let tried = 1; ; tried++) {
    try {
      return new Uint8Array(await current.arrayBuffer())
    } catch (error) {
      if (!again || tried === TRIES) throw lost(error, again !== undefined)
    }
    current = await again().catch((error: unknown) => {
      throw lost(error, true)
    })
  }
}

async function* readEvents(texts: AsyncIterable<string>, receipt: () => Receipt | null): Events {
  try {
    for await (const text of texts) if (text !== '[DONE]') yield JSON.parse(text)
  } catch (error) {
    throw lost(error, true, receipt())
  }
}

async function* readLines(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const piece of pieces) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    yield* lines.filter((line) => line !== '')
  }
  if (rest !== '') yield rest
}

function lost(error: unknown, isPaid: boolean, receipt: Receipt | null = null): unknown {
  if (Object(error).name === 'AbortError') return error
  const [code, message] = isPaid
    ? ['connection_lost', 'the connection was lost after the payment was sent']
    : ['unreachable', 'the service cannot be reached; nothing was paid']
  return new TollbookError(code, message, { receipt, cause: error })
}

/** The problem of an answer (RFC 9457), which the dialects of model APIs put next to their error. */
function toError(status: number, problem: unknown, receipt: Receipt | null): TollbookError {
  const { problem: nested, error } = Object(problem)
  const { code, refused_as, detail, faults } = Object(nested ?? problem)
  const issues = Array.isArray(faults) ? faults.map((fault) => `${fault.parameter} ${fault.detail}`) : []
  return new TollbookError(
    `${refused_as ?? code ?? error?.code ?? 'http_error'}`,
    issues.join('; ') || `${detail ?? error?.message ?? `HTTP status ${status}`}`,
    { status, problem, receipt },
  )
}

const toText = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

function parse(bytes: Uint8Array): unknown {
  const text = toText(bytes)
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
