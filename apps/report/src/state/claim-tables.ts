import type { DeliveryColumns, WebhookColumns } from '@tollbook/webhooks/outbox-tables'

/** Tables of claims, disputes and alerts. Lower-case addresses, epoch milliseconds, `disclosures` in JSON. */
export type ClaimTables = {
  /** One row per open challenge; deleted after use. */
  readonly claim_challenge: {
    readonly nonce: string
    readonly address: string
    readonly action: 'claim' | 'withdraw' | 'alerts'
    readonly statement: string | null
    readonly disclosures: string
    /** Highest price that the merchant states, micro-USDC. */
    readonly max_price: number | null
    readonly issued_at: number
    readonly expires_at: number
    /** Failed signatures for it. */
    readonly failures: number
  }
  /** One row per wallet that has ever claimed; it guards the wallet's rows of `claim`. */
  readonly claim_wallet: {
    readonly address: string
    /** The `made_at` of its newest row in `claim`. */
    readonly version: number
  }
  /** One row per accepted signed text, never changed; the newest of a wallet is valid. */
  readonly claim: {
    readonly address: string
    readonly version: number
    readonly action: 'claim' | 'withdraw'
    readonly message: string
    readonly signature: string
    readonly statement: string | null
    readonly disclosures: string
    /** Highest price that the merchant states, micro-USDC. */
    readonly max_price: number | null
    readonly made_at: number
  }
  /** One row per note to the operator. */
  readonly dispute: {
    readonly id: string
    readonly address: string
    /** Last day of the published week in question; null for the newest window. */
    readonly week: string | null
    /** How to contact its author; visible to the operator only. */
    readonly contact: string | null
    readonly body: string
    readonly received_at: number
    readonly closed_at: number | null
  }
  /** Number of notes from a client on a UTC day; rows of past days are deleted. */
  readonly dispute_quota: {
    readonly day: string
    /** An IPv4 address, or the /64 of an IPv6 address. */
    readonly client: string
    readonly disputes: number
  }
  /** One row per session that manages the webhooks of a wallet. */
  readonly alert_session: {
    readonly token_sha256: string
    readonly address: string
    readonly expires_at: number
  }
  /** One row per webhook of a claimed wallet. */
  readonly alert_webhook: WebhookColumns & {
    readonly address: string
    /** A JSON array of events. */
    readonly events: string
    readonly rank_places: number
    readonly drop_percent: number
    readonly created_at: number
  }
  /** One row per alert and webhook, until a week after it was queued. */
  readonly alert_delivery: DeliveryColumns
}
