/**
 * Names of the two tables of an owner of webhooks, who creates them by migrations of its own. One has a row for each
 * webhook, the other a row for each delivery.
 */
export type OutboxTables = {
  /** Has the columns of `WebhookColumns`, and any others. */
  readonly webhooks: string
  /** A column of `webhooks`: its values take turns, so that one with slow receivers does not delay the others. */
  readonly holder: string
  /** Has the columns of `DeliveryColumns`; `id` is its key. */
  readonly deliveries: string
}

/** What is read of a webhook. */
export type WebhookColumns = {
  readonly id: string
  readonly url: string
  /** `whsec_` and base64; signs what is delivered. */
  readonly secret: string
}

/** One row per event and webhook, until a week after it was queued. Times are epoch milliseconds. */
export type DeliveryColumns = {
  /** The `webhook-id` of every attempt. */
  readonly id: string
  readonly webhook: string
  readonly event: string
  readonly body: string
  readonly created_at: number
  readonly attempts: number
  /** Null when it was delivered or given up. */
  readonly next_attempt_at: number | null
  readonly outcome: 'pending' | 'delivered' | 'given_up'
  /** Status of the last answer, or the name of the error. */
  readonly last_answer: string | null
}
