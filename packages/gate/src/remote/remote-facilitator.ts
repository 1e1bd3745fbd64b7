import type { Address } from '@tollbook/chain/hex'
import { InvalidAnswer } from '@tollbook/flow/failure'
import type { Logger } from '@tollbook/flow/logger'
import { startTicker } from '@tollbook/flow/ticker'
import type { RunningFacilitator, Settlement, SettleOrder, Verification } from '../facilitator.ts'
import type { OfferedPayment } from '../payment.ts'
import { askFacilitator, type FacilitatorAnswer } from './ask-facilitator.ts'
import {
  hashOf,
  isBeforeSending,
  isPayersDoing,
  reasonOf,
  refusalKindOf,
  settleAnswer,
  supportedAnswer,
  verifyAnswer,
} from './remote-answer.ts'

export type RemoteOptions = {
  /** Base URL of the facilitator's `/supported`, `/verify` and `/settle`. */
  readonly url: string
  /** CAIP-2 network whose payments it settles. */
  readonly network: `eip155:${number}`
  readonly logger: Logger
  /** Maximum wait for `/verify` and `/supported`; default 10,000 ms. */
  readonly timeoutMs?: number
  /** Maximum wait for `/settle`, after which the outcome is unknown; default 60,000 ms. */
  readonly settleTimeoutMs?: number
}

const DEFAULTS = { timeoutMs: 10_000, settleTimeoutMs: 60_000 } as const
const SUPPORTED_EVERY_MS = 30_000
/** Until it answers, nothing can be sold. */
const UNANSWERED_EVERY_MS = 2_000

type Supported = { readonly exact: boolean; readonly facilitatorAddress: Address | null }

/**
 * A facilitator behind the x402 HTTP API. It need not be up at the start: what it supports is requested every
 * 30 seconds, sooner while it does not answer, and its address is null until the first answer.
 * @throws TypeError for a URL that is not http or https.
 */
export async function createRemoteFacilitator(given: RemoteOptions): Promise<RunningFacilitator> {
  const options = { ...DEFAULTS, ...given }
  if (!URL.canParse(given.url) || !/^https?:$/.test(new URL(given.url).protocol))
    throw new TypeError('the facilitator URL must begin with http:// or https://')
  const base = given.url.replace(/\/+$/, '')
  let supported: Supported | null = null
  let address: Address | null = null

  let askedMs = 0
  const askSupported = async (): Promise<void> => {
    if (supported && performance.now() - askedMs < SUPPORTED_EVERY_MS) return
    askedMs = performance.now()
    const { status, body } = await askFacilitator(`${base}/supported`, null, options)
    if (status !== 200) throw new InvalidAnswer(`/supported answered ${status}`)
    supported = toSupported(supportedAnswer.parse(body), options.network)
    address = supported.facilitatorAddress
  }
  const onError = (error: unknown) => {
    supported = null
    options.logger.warn({ reason: nameOf(error) }, 'the facilitator does not list what it supports')
  }
  await askSupported().catch(onError)
  const asking = startTicker({ work: askSupported, everyMs: UNANSWERED_EVERY_MS, onError })

  return {
    /** While it is unreachable, its last answer counts: requirements do not change with an outage. */
    get address() {
      return address
    },
    async verify(payment, signal): Promise<Verification> {
      const { status, body } = await askFacilitator(
        `${base}/verify`,
        toRequest(payment, payment.terms.amount),
        { timeoutMs: options.timeoutMs, signal },
      )
      const parsed = verifyAnswer.safeParse(body)
      // Rejections come with 200 or with 4xx, depending on the facilitator; only the body counts.
      if (!parsed.success || !isAboutPayment(status)) throw new InvalidAnswer(`/verify answered ${status}`)
      if (parsed.data.isValid && status === 200) return { isValid: true }
      const reason = reasonOf(parsed.data.invalidReason)
      return { isValid: false, reason, kind: refusalKindOf(reason) }
    },
    async settle(order, signal): Promise<Settlement> {
      if (signal.aborted) return { outcome: 'failed', reason: 'aborted', cause: 'operator' }
      try {
        await order.beforeSend(null)
      } catch {
        return { outcome: 'failed', reason: 'not_recorded', cause: 'operator' }
      }
      return askToSettle(order, `${base}/settle`, options.settleTimeoutMs, signal)
    },
    async health() {
      if (!supported)
        return {
          isHealthy: false,
          detail: `the facilitator at ${new URL(base).origin} does not answer: check that it runs, and TOLLBOOK_FACILITATOR_URL`,
        }
      const detail = supported.exact
        ? 'the facilitator answers'
        : 'the facilitator does not support exact payments on this network'
      return { isHealthy: supported.exact, detail }
    },
    close: () => asking.stop(),
  }
}

/** Anything but a clear answer leaves the outcome open: the transaction may have been sent. */
async function askToSettle(
  order: SettleOrder,
  url: string,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Settlement> {
  const { payment, amount, key: idempotencyKey } = order
  const options = { timeoutMs, signal, idempotencyKey }
  let answered: FacilitatorAnswer
  try {
    answered = await askFacilitator(url, toRequest(payment, amount.toString()), options)
  } catch (error) {
    return { outcome: 'unknown', transaction: null, reason: nameOf(error) }
  }
  const parsed = settleAnswer.safeParse(answered.body)
  if (!parsed.success)
    return { outcome: 'unknown', transaction: null, reason: `facilitator_answered_${answered.status}` }
  const { success, errorReason, transaction } = parsed.data
  const hash = hashOf(transaction)
  if (success && answered.status === 200)
    return hash
      ? { outcome: 'settled', transaction: hash, amount }
      : { outcome: 'unknown', transaction: null, reason: 'facilitator_named_no_transaction' }
  const reason = reasonOf(errorReason)
  return !hash && isAboutPayment(answered.status) && isBeforeSending(reason)
    ? { outcome: 'failed', reason, cause: isPayersDoing(reason) ? 'payer' : 'operator' }
    : { outcome: 'unknown', transaction: hash, reason }
}

/** Whether an answer may reject the payment: rate limits and server errors concern the facilitator alone. */
function isAboutPayment(status: number): boolean {
  return status < 500 && status !== 429
}

/** The body of `/verify` and `/settle`; under `upto` the amount in a settlement is the charge. */
function toRequest(payment: OfferedPayment, amount: string): string {
  return JSON.stringify({
    x402Version: 2,
    paymentPayload: payment.payload,
    paymentRequirements: { ...payment.terms, amount },
  })
}

/** What a facilitator settles on a network. */
export function toSupported(
  answer: {
    readonly kinds: readonly {
      x402Version: number
      scheme: string
      network: string
      extra?: Record<string, unknown> | null | undefined
    }[]
  },
  network: string,
): Supported {
  const kinds = answer.kinds.filter((kind) => kind.x402Version === 2 && covers(kind.network, network))
  const address = kinds.find((kind) => kind.scheme === 'upto')?.extra?.facilitatorAddress
  return {
    exact: kinds.some((kind) => kind.scheme === 'exact'),
    facilitatorAddress:
      typeof address === 'string' && /^0x[0-9a-fA-F]{40}$/.test(address)
        ? (address.toLowerCase() as Address)
        : null,
  }
}

/** Facilitators may support a whole family of networks: `eip155:*`. */
function covers(offered: string, network: string): boolean {
  return offered === network || (offered === 'eip155:*' && network.startsWith('eip155:'))
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'unknown'
}
