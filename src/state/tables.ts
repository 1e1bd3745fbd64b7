import type { Generated } from 'kysely'
import type { PaymentTables } from './tables/payments.ts'
import type { ReportTables } from './tables/report.ts'
import type { ScratchpadTables } from './tables/scratchpad.ts'
import type { SignerTables } from './tables/signer.ts'
import type { SocialTables } from './tables/social.ts'
import type { SocialSessionTables } from './tables/social-sessions.ts'
import type { WalletTables } from './tables/wallet.ts'

/** Every table of the state store, by the part that owns it. */
export type Tables = PaymentTables &
  WalletTables &
  ScratchpadTables &
  SocialTables &
  SocialSessionTables &
  ReportTables &
  IndexTables &
  SignerTables &
  ClaimTables &
  TransferTables &
  PageTables

/** Tables of the indexer: blocks read of a chain (its genesis hash), and attempts with their payments. */
type IndexTables = {
  /** One row per chain: how far it has been read. */
  readonly index_chain: {
    readonly chain: string
    readonly first_block: number
    /** The first unread block; covered chunks reach from first_block to here without a gap. */
    readonly next_block: number
    /** Payments before this time, epoch seconds, have been read and deleted since; null if none. */
    readonly dropped_until: number | null
    /** When blocks were last rolled back or added, epoch milliseconds. */
    readonly changed_at: number
  }
  /** One row per attempt to write the payments of a block range into the ledger. */
  readonly index_chunk: {
    readonly chain: string
    /** From time and random bits, so that rows of a lost state are never mistaken for newer ones. */
    readonly attempt: number
    readonly first_block: number
    /** The first block after the chunk. */
    readonly end_block: number
    /**
     * `writing`: rows may be in the ledger but are not read. `covered`: all rows are on disk and visible.
     * `retired`: replaced, rolled back or abandoned; the rows await deletion.
     */
    readonly status: 'writing' | 'covered' | 'retired'
    readonly payments: number
    /** Authorizations and proxy settlements of the chunk without a USDC transfer. */
    readonly misses: number
    /** Epoch milliseconds. */
    readonly changed_at: number
  }
  /** The last block of each chunk, used to detect a reorganisation. */
  readonly index_checkpoint: {
    readonly chain: string
    readonly block: number
    readonly hash: string
  }
}

/** The USDC transfers read into the ledger; `chain` is the hash of the chain's genesis block. */
type TransferTables = {
  /** One row per wallet and block range that has been read completely; ranges of a wallet never overlap. */
  readonly transfer_span: {
    readonly chain: string
    /** Out of the wallet, or into it. */
    readonly direction: Direction
    readonly wallet: string
    readonly first_block: number
    /** The first block after the range. */
    readonly end_block: number
  }
  /** One row per attempt to write transfers of a block range into the ledger. */
  readonly transfer_chunk: {
    readonly chain: string
    readonly attempt: number
    readonly direction: Direction
    readonly first_block: number
    /** The first block after the chunk; no chunk crosses a boundary of 8,192 blocks. */
    readonly end_block: number
    /** As in index_chunk: only rows of covered attempts are visible. */
    readonly status: 'writing' | 'covered' | 'retired'
    readonly transfers: number
    /** Epoch milliseconds. */
    readonly changed_at: number
  }
}

type Direction = 'out' | 'in'

/**
 * Tables of the searchable pages. The word index, the table
 * `page_words` on SQLite and the column `words` on PostgreSQL, is accessed with SQL of that database.
 */
type PageTables = {
  readonly page: {
    readonly id: Generated<number>
    readonly url: string
    /** Of the URL, lower case. */
    readonly host: string
    /** Empty if the page has none. */
    readonly title: string
    /** The text of the page, one line per paragraph. */
    readonly content: string
    /** As declared by the page, epoch milliseconds. */
    readonly published_at: number | null
    /** Whether the page declares itself news. */
    readonly is_news: number
    /** Origin: an import by the operator, or a call of `/api/scrape`. */
    readonly source: 'imported' | 'scraped'
    /** Epoch milliseconds. */
    readonly fetched_at: number
  }
}

/** Tables of claims, disputes and alerts. Lower-case addresses, epoch milliseconds, `disclosures` in JSON. */
type ClaimTables = {
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
  readonly alert_webhook: {
    readonly id: string
    readonly address: string
    readonly url: string
    /** `whsec_` and base64; signs what is delivered. */
    readonly secret: string
    /** A JSON array of events. */
    readonly events: string
    readonly rank_places: number
    readonly drop_percent: number
    readonly created_at: number
  }
  /** One row per alert and webhook, until a week after it was queued. */
  readonly alert_delivery: {
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
}
