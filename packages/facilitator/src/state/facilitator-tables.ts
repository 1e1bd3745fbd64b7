import type { ColumnType } from 'kysely'

/** Tables of the facilitator as a service. Times are epoch milliseconds unless said otherwise. */
export type FacilitatorTables = {
  /** What the settlements of a payee cost the facilitator service in an hour. */
  readonly payee_gas: {
    /** In lower case. */
    readonly pay_to: string
    /** Since the epoch. */
    readonly hour: number
    readonly gas: number
  }
  /** An endpoint that the facilitator service settled for. */
  readonly facilitator_listing: {
    readonly pay_to: string
    readonly resource: string
    /** As in `report_listings`, like all columns. */
    readonly operation: string
    readonly host: string
    readonly price: number
    readonly schemes: string
    readonly description: string
    readonly last_seen: number
    /** `SettledOffer` as JSON. */
    readonly offer: ColumnType<string | null, string | null | undefined>
  }
  /** What a payer paid for the listings of a payee under a host, through the facilitator service. */
  readonly listing_payer: {
    /** In lower case. */
    readonly pay_to: string
    readonly host: string
    /** In lower case. */
    readonly payer: string
    /** Micro-USDC. */
    readonly amount: number
    readonly paid_at: number
  }
  readonly channel_operation: ChannelOperationTable
  /** Which request got, or will get, the success of a settlement by the facilitator service. */
  readonly settle_delivery: {
    /** `paid_call.id` or `channel_operation.id`. */
    readonly id: string
    /** Keyed hash of its `Idempotency-Key`; empty without one. */
    readonly key: string
    /** `payment_owner.id` of the process that answers it. */
    readonly owner: string
    readonly token: string
    /** 1 once the answer was written to its end. */
    readonly is_delivered: number
    /** Epoch seconds. */
    readonly valid_before: number
  }
}

/** A transaction of a payment channel that the facilitator service sends for a seller. */
export type ChannelOperationTable = {
  /** Hash of the request. */
  readonly id: string
  /** Of the transactions that may carry it, separated by commas. */
  readonly hashes: string
  /** The answer as JSON, once it is certain. */
  readonly answer: string | null
  /** Until then one process works on it. */
  readonly lease_until: number
  readonly version: number
  readonly created_at: number
}
