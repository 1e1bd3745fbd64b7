import { BlockedTarget } from '@tollbook/flow/failure'
import { readRetryAfterMs } from '@tollbook/flow/retry-after'
import type { SafeFetch } from '@tollbook/safe-fetch/safe-fetch'
import type { QueryExecutorProvider } from 'kysely'
import type { Attempt, DueDelivery, Outbox } from './outbox.ts'
import { toWebhookHeaders } from './sign-webhook.ts'

/** Deliveries per run, and how many run concurrently. */
const MAX_DELIVERIES = 100
const DELIVERIES_AT_ONCE = 8
/** Standard Webhooks recommends 15 to 30 seconds. */
const TIMEOUT_MS = 15_000
const GONE = '410'
/** Only the status of an answer counts. */
const ANSWER_BYTES = 10_000
/** A receiver cannot delay its retries beyond the schedule. */
const MAX_RETRY_AFTER_MS = 86_400_000

export type Delivering = {
  readonly db: QueryExecutorProvider
  readonly outbox: Outbox
  /** Reaches no private network, except on a local chain. */
  readonly fetch: SafeFetch
  readonly logger: { info(fields: object, message: string): void }
  readonly now: () => Date
  /** Deletes the webhook: its receiver answered 410, and wants no more. */
  readonly deleteWebhook: (delivery: Pick<DueDelivery, 'webhook' | 'holder'>) => Promise<unknown>
}

/** Sends what is due to webhooks. @returns how many deliveries succeeded. */
export async function deliverDue(delivering: Delivering, signal: AbortSignal): Promise<number> {
  const { db, outbox, logger, now, deleteWebhook } = delivering
  const waiting = (await outbox.takeDue(db, now(), MAX_DELIVERIES)).values()
  let delivered = 0
  const work = async () => {
    for (const delivery of waiting) {
      const attempt = await send(delivering, delivery, signal)
      signal.throwIfAborted()
      const outcome = await outbox.noteAttempt(db, delivery, { ...attempt, now: now() })
      if (outcome === 'delivered') delivered += 1
      const { id, webhook, attempts } = delivery
      // Standard Webhooks: the receiver wants no more.
      if (attempt.answer === GONE) await deleteWebhook(delivery)
      // Without the URL, which may contain a secret of the receiver.
      if (outcome === 'given_up')
        logger.info({ id, webhook, attempts, answer: attempt.answer }, 'gave up a webhook delivery')
    }
  }
  await Promise.all(Array.from({ length: DELIVERIES_AT_ONCE }, work))
  await outbox.deleteFinished(db, now())
  return delivered
}

async function send(
  { fetch, now }: Delivering,
  { id, url, secret, body }: DueDelivery,
  signal: AbortSignal,
): Promise<Attempt> {
  const headers = {
    'content-type': 'application/json',
    ...toWebhookHeaders(secret, { id, body, sentAt: now() }),
  }
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers,
      body,
      maxBytes: ANSWER_BYTES,
      timeoutMs: TIMEOUT_MS,
      // Another address would receive what is signed for this one.
      maxRedirects: 0,
      isBodyRead: false,
      signal,
    })
    const isDelivered = answer.status >= 200 && answer.status < 300
    const retryAfterMs = 'retry-after' in answer.headers ? readRetryAfterMs(answer.headers) : 0
    return {
      isDelivered,
      answer: `${answer.status}`,
      retryAfterMs: Math.min(retryAfterMs, MAX_RETRY_AFTER_MS),
    }
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof Error)) throw error
    // Whether a name resolves to a private address would reveal the operator's network.
    const answer = error instanceof BlockedTarget ? 'Unreachable' : error.name
    return { isDelivered: false, answer, retryAfterMs: 0 }
  }
}
