import { formatUsd, parseUsd } from '@tollbook/chain/usdc'
import { type CallForm, toCallParts, toCallUrl, toTexts } from '@tollbook/endpoints/call-parts'
import { privateKeyToAccount } from 'viem/accounts'
import { type PaidRequest, payAndCall, sendPaid } from '../src/pay.ts'
import { toResult } from './read-answer.ts'
import { lost, TollbookError } from './tollbook-error.ts'
import type { CallOptions, Result, ServiceName, Spending, TollbookOptions } from './types.ts'

/** What a client knows of the services, and the defaults of its options. */
type Catalogue = {
  readonly forms: Readonly<Record<ServiceName, Readonly<Record<string, CallForm>>>>
  readonly max: string
  readonly origins: Readonly<Record<ServiceName, string>>
  readonly rpcUrl: string
}

type Input = Readonly<Record<string, unknown>>

/** @throws Error for a key or an amount in dollars that cannot be read. */
export function createClient<Client>(catalogue: Catalogue, options: TollbookOptions): Client {
  const { rpcUrl = catalogue.rpcUrl } = options
  const key = typeof options.key === 'string' ? privateKeyToAccount(options.key) : options.key
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
      case 'invalid_arguments':
        throw new TollbookError(outcome.problem.code, outcome.problem.detail, {
          status: 402,
          problem: outcome.body,
        })
      case 'unpaid':
        return await toResult(outcome.response, null)
      case 'answered': {
        const again = payment && (() => sendPaid(sent, payment as NonNullable<typeof payment>))
        return await toResult(outcome.response, { offer: outcome.offer, payer: key.address }, again)
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
