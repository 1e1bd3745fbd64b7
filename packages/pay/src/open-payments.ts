import { readExact } from '@tollbook/gate/authorization/decode-payment'
import { readUpto } from '@tollbook/gate/authorization/read-permit2'
import type { PaymentRequirements } from '@tollbook/gate/contract/terms'
import type { ChainFinding, ChainReader } from '@tollbook/gate/facilitator'
import type { OfferedPayment } from '@tollbook/gate/payment'
import type { PaymentPayload } from '@x402/core/types'
import type { SpendingLog, StoredPayload } from './spending-log.ts'

/** Payments whose charge is not known. */
export type OpenPayments = {
  /** Records what the chain shows about a payment; null if it cannot be read now. Takes at most 30 seconds. */
  lookUp(stored: StoredPayload, signal?: AbortSignal): Promise<ChainFinding['found'] | null>
  /** Looks up all open payments, newest first; 30 s in total. */
  reconcile(): Promise<void>
}

const LOOK_UP_MS = 30_000

/** @param busy payments whose answer is still awaited; they are not looked up */
export function createOpenPayments({
  log,
  chain,
  busy,
}: {
  readonly log: SpendingLog
  readonly chain: Pick<ChainReader, 'findSettlement'>
  readonly busy: ReadonlySet<string>
}): OpenPayments {
  let reconciling: Promise<void> | undefined

  const lookUp: OpenPayments['lookUp'] = async (
    { id, payload },
    signal = AbortSignal.timeout(LOOK_UP_MS),
  ) => {
    const payment = readPayment(payload)
    const finding = await chain.findSettlement(payment, signal).catch(() => null)
    if (finding?.found === 'settled') log.settle(id, finding.amount, finding.transaction)
    // The nonce of a cancelled one is used, so that nobody can charge it.
    if (finding?.found === 'expired' || (finding?.found === 'cancelled' && finding.isFinal)) log.release(id)
    return finding?.found ?? null
  }

  async function lookUpAll(): Promise<void> {
    const signal = AbortSignal.timeout(LOOK_UP_MS)
    for (const stored of log.listOpen()) {
      if (signal.aborted) return
      if (!busy.has(stored.id)) await lookUp(stored, signal)
    }
  }

  return {
    lookUp,
    reconcile() {
      reconciling ??= lookUpAll().finally(() => {
        reconciling = undefined
      })
      return reconciling
    },
  }
}

/** The payment as the chain will see it. @throws Error if it is not the plain payment that its own terms request. */
export function readPayment(payload: unknown): OfferedPayment {
  const { accepted, payload: inner } = payload as PaymentPayload
  const terms = accepted as PaymentRequirements
  const signed = terms.scheme === 'exact' ? readExact(inner, terms) : readUpto(inner, terms)
  if ('refusal' in signed) throw new Error(signed.refusal.detail)
  return { scheme: terms.scheme, terms, payload, ...signed }
}
