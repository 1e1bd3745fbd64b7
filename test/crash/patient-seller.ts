import { setTimeout as wait } from 'node:timers/promises'
import type { Random } from '@tollbook/devchain/demo-week/random'
import type { FacilitatorClient } from '@x402/core/server'
import type { Sellers } from './sellers.ts'

/** Facilitators that may die during any request. */
export type Replicas = {
  readonly replicas: Sellers
  readonly random: Random
  /** Ends requests that are never answered. */
  readonly signal: AbortSignal
  readonly onRequest: () => void
}

export type Settled = {
  readonly success: boolean
  readonly transaction: string
  readonly errorReason?: string
}

const REQUEST_MS = 30_000
const PAUSE_MS = 20

/** As a patient seller: repeats a request at any replica until the outcome is certain. @throws once it is aborted. */
export async function requestUntilAnswered<Answer>(
  path: string,
  body: object | null,
  { replicas, random, signal, onRequest }: Replicas,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  for (;;) {
    const url = await replicas.choose(random)
    signal.throwIfAborted()
    onRequest()
    try {
      const response = await fetch(`${url}${path}`, {
        ...(body && {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...headers },
          body: JSON.stringify(body),
        }),
        signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_MS)]),
      })
      const answer = (await response.json()) as Answer & { readonly errorReason?: string }
      // A request without a key that broke off is a duplicate until the lease of its process is over.
      if (
        response.status === 200 &&
        !/^(settlement_pending|duplicate_settlement)$/.test(answer.errorReason ?? '')
      )
        return answer
    } catch {
      // Its process was killed, or is about to listen.
    }
    await wait(PAUSE_MS)
  }
}

/** The same for stock servers. @param onSettled called with each request to settle and its answer. */
export function createPatientClient(
  at: Replicas,
  onSettled: (payload: Readonly<Record<string, unknown>>, answer: Settled) => void,
): FacilitatorClient {
  return {
    getSupported: () => requestUntilAnswered('/supported', null, at),
    verify: (paymentPayload, paymentRequirements) =>
      requestUntilAnswered('/verify', { x402Version: 2, paymentPayload, paymentRequirements }, at),
    settle: async (paymentPayload, paymentRequirements) => {
      const body = { x402Version: 2, paymentPayload, paymentRequirements }
      const answer = await requestUntilAnswered<Awaited<ReturnType<FacilitatorClient['settle']>>>(
        '/settle',
        body,
        at,
      )
      onSettled(paymentPayload.payload, answer)
      return answer
    },
  }
}
