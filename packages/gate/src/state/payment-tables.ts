import type { ColumnType, Generated } from 'kysely'

/** Tables of the selling side. Times are epoch milliseconds unless said otherwise, money is micro-USDC. */
export type PaymentTables = {
  readonly paid_call: PaidCallTable
  /** A process at work; a row of an owner whose lease is over may be taken by another. */
  readonly payment_owner: { readonly id: string; readonly lease_until: number }
  /** A payment that did not settle after its handler had run, by the payer's doing. */
  readonly payment_strike: {
    readonly id: string
    readonly payer: string
    readonly struck_at: number
  }
  /** Micro-USDC of live metered content that a wallet may get before it settles; without a row, that of a stranger. */
  readonly live_allowance: {
    /** In lower case. */
    readonly payer: string
    readonly amount: number
    readonly changed_at: number
  }
  /** What a wallet has paid towards the gas of its reverted settlements. */
  readonly payer_credit: {
    /** In lower case. */
    readonly payer: string
    /** Settled calls, of which two cover one reverted settlement; may lag behind by half. */
    readonly calls: number
    /** Time of a revert that was not covered: the wallet is refused for a while from then on. */
    readonly reverted_at: ColumnType<number | null, number | null | undefined>
    readonly changed_at: number
  }
  /** Nonces of SIGN-IN-WITH-X proofs that were used: each counts once. */
  readonly payment_proof: { readonly nonce: string; readonly expires_at: number }
  /** Keys of keyed hashes, made by whichever process came first. */
  readonly payment_secret: { readonly name: string; readonly secret: string }
  /** One row for each paid call whose payer has code. */
  readonly payer_code_use: {
    /** `paid_call.id` */
    readonly call: string
    /** keccak256 of the payer's code. */
    readonly code_hash: string
    /** Gas limit of the call's settlement. */
    readonly gas: number
    /** Gas of transactions that reverted for the call. */
    readonly burnt: number
    readonly used_at: number
  }
  readonly payment_channel: PaymentChannelTable
}

/**
 * State of a paid call. Buffered answers: reserved, delivered, settling, settled. Streams: reserved,
 * streaming, settling, settled-unfinished, settled.
 */
export type CallState =
  | 'reserved'
  | 'delivered'
  | 'streaming'
  | 'settling'
  | 'unknown'
  | 'settled'
  | 'settled-unfinished'
  | 'released'

/** One row for each payment authorization that was presented with a valid signature. */
export type PaidCallTable = {
  /** Keyed hash of (network, asset, payer, nonce); also the receipt's id. */
  readonly id: string
  readonly payer: string
  readonly nonce: string
  readonly network: string
  readonly asset: string
  readonly pay_to: string
  readonly scheme: 'exact' | 'upto' | 'batch-settlement'
  /** 1 if Permit2 moves the money; 0 also under `upto` in rows of 1.0.0. */
  readonly by_permit2: ColumnType<number, number | undefined>
  readonly service: string
  readonly endpoint: string
  /** The URL under which it was offered; null before it was recorded, and for other sellers' payments. */
  readonly resource_url: ColumnType<string | null, string | null | undefined>
  /** For how long after `settled_at` its payer may repeat the request without charge; null: not at all. */
  readonly repeat_ms: ColumnType<number | null, number | null | undefined>
  readonly scope: 'public' | 'wallet' | 'session'
  /** Keyed hash of the request that the payment was presented with. */
  readonly fingerprint: string
  /** Keyed hash of the first request's `payment-identifier`; unique for a payer among rows not released. */
  readonly identifier: string | null
  readonly state: CallState
  /** 1 while money may still move for this row: its maximum counts against the payer's balance. */
  readonly is_open: number
  /** 1 once a handler answered with a stream. */
  readonly is_stream: number
  /** Number of started runs of the handler. */
  readonly runs: number
  /** 1 once a settled but unfinished stream has been run again without charge. */
  readonly is_rerun: number
  /** `payment_owner.id` of the process that works on the row; null if none. */
  readonly owner: string | null
  /** Token of the lease of the row; it changes whenever the row is taken, and only its holder may change the row. */
  readonly claim: string
  readonly signed_amount: number
  /** The amount to settle, or settled; known once the handler has answered. */
  readonly charge: number | null
  /** Epoch seconds. */
  readonly valid_before: number
  /** The payment as needed to settle it later, JSON; null once nothing can follow. */
  readonly offer: string | null
  /** The newest transaction that was, or was about to be, sent. */
  readonly tx_hash: string | null
  /** Why the call was released or is unknown. */
  readonly reason: string | null
  /** Bytes of a stream delivered to the client, as of the last checkpoint. */
  readonly bytes_sent: number
  /** Microseconds, increasing: the order in which a payer's calls reserve its balance. */
  readonly reserved_at: number
  readonly updated_at: number
  readonly settled_at: number | null
  /** Its part of the gas of its settlement; null if unknown, or paid by someone else. */
  readonly gas_cost: ColumnType<number | null, number | null | undefined>
  /** Time of the reconciler's next check. */
  readonly check_at: number
  readonly answer_status: number | null
  /** JSON object. */
  readonly answer_headers: string | null
  /** Name of the file below the data folder that contains a large answer. */
  readonly answer_file: string | null
  readonly answer_body: Uint8Array | null
  /** 1 while `call_effect` may hold a change of this call. */
  readonly has_effect: Generated<number>
}

/** A payment channel (x402 `batch-settlement`). */
export type PaymentChannelTable = {
  /** EIP-712 hash of its terms. */
  readonly id: string
  /** Changes with every change of the row. */
  readonly version: number
  /** Its terms (ChannelConfig), JSON. */
  readonly config: string
  /** In lower case. */
  readonly receiver: string
  /** Micro-USDC of all calls that it has paid. */
  readonly charged: number
  /** The newest voucher. */
  readonly signed_max: number
  readonly signature: string
  /** As of `synced_at`: deposits less refunds, the part that was claimed, start of a withdrawal (epoch seconds or 0). */
  readonly balance: number
  readonly claimed: number
  readonly withdraw_at: number
  readonly refund_nonce: number
  /** 0 if a reorganisation may still remove the balance: it is read again before the next call. */
  readonly synced_at: number
  /** The part of `claimed` that was paid out to the receiver. */
  readonly paid_out: number
  readonly charged_at: number
  /** When the oldest call that was not claimed was charged; null if all are. */
  readonly unclaimed_since: number | null
  /** Until then, one process claims it. */
  readonly claim_until: number
  /** The refund under way, during which nothing is charged. One process works on it until `refund_until`. */
  readonly refund: string | null
  readonly refund_until: number
}
