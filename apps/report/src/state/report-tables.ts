/** Tables of the report service. Amounts are micro-USDC, times epoch milliseconds. */
export type ReportTables = {
  /** One per source: base URL of a service or catalogue, URL of a document, or origin of 402 responses. */
  report_listing_sources: {
    source: string
    /** When the listings of this source were last replaced; null before the first success. */
    collected_at: number | null
    /** When collecting last failed; the listings of the last success remain. */
    failed_at: number | null
    failure: string | null
    /** `ETag` and `Last-Modified` of a document, for conditional requests. */
    etag: string | null
    modified: string | null
  }
  report_listings: {
    source: string
    resource: string
    /** HTTP method, or the tool's name of an MCP listing; empty if the source does not state it. */
    operation: string
    host: string
    pay_to: string
    price: number
    /** Payment schemes, separated by commas; empty if the source was last read by an older version. */
    schemes: string
    description: string
    /** When the source last updated it, as the source states. */
    last_seen: number
    /** When the source last offered it. */
    seen_at: number
  }
  /** One row per origin of merchants whose own documents and 402 responses are read. */
  report_listing_hosts: {
    origin: string
    /** When the last visit succeeded. */
    visited_at: number | null
    next_visit_at: number
    /** Consecutive failed visits. */
    failures: number
  }
  /** What an unpaid request to a listed endpoint showed, per payee. */
  report_endpoint_health: {
    resource: string
    pay_to: string
    /** A key of `HEALTH` in report/listings/endpoint-health.ts. */
    state: string
    /** When this state was first seen. */
    since: number
    checked_at: number
  }
  /** What the indexer counts, for the metrics of the report service. */
  report_indexer_gauges: {
    gauge: string
    /** Values of its labels, as a JSON array. */
    label: string
    value: number
  }
  /** One per publication: the rolling window, overwritten, and each revision of a week. */
  report_editions: {
    /** `rolling`, or the date of the window's end, such as `2026-11-15`. */
    edition: string
    /** 0 for the rolling window; a published week begins at 1. */
    revision: number
    method: string
    start_block: number
    end_block: number
    window_start: number
    window_end: number
    is_complete: number
    published_at: number
    merchants: number
    tx: number
    amount: number
    real_tx: number
    real_amount: number
    /** Why a week was corrected; null for its first revision. */
    reason: string | null
    /** Digest of the row in report_bases; null for reports published before that table existed. */
    basis: string | null
    /** Name of the file with the payments of a week; null for the rolling window, read from the ledger. */
    evidence_file: string | null
    evidence_sha256: string | null
    evidence_bytes: number | null
    /** FieldFigures as JSON; null for weeks published before it existed. */
    field: string | null
  }
  /** One row per merchant and publication: the figures that rank it. */
  reports: {
    edition: string
    revision: number
    /** A wallet; `host:` and a name for a merchant group. */
    address: string
    etag: string
    /** Hash of the report without `generated_at`; the bytes are rewritten only if it differs. */
    digest: string
    /** When the bytes last changed. */
    changed_at: number
    start_block: number
    end_block: number
    window_end: number
    is_frozen: number
    rank: number | null
    /** The merchant group of a wallet, as its address; null for none, and for groups. */
    operator: string | null
    /** The rank where each merchant group counts once; null for its wallets, and where rank is. */
    operator_rank: number | null
    name: string
    /** 0 for a name that only one catalogue gives, and for an address. */
    is_name_confirmed: number
    tx: number
    amount: number
    real_tx: number
    real_amount: number
    /** Share of the reported amount that passes every screen, parts per million. */
    passing_ppm: number
    buyers: number
    real_buyers: number
    /** 0 before version 3 of the method. */
    effective_buyers_hundredths: number
    /** -1 if the report has no such figure. */
    returning_buyers: number
    /** The report's flags as JSON. */
    flags: string
    /** As in report_editions, of the run that wrote this report: an older one if it is frozen. */
    basis: string | null
    /** As in report_editions. */
    evidence_file: string | null
    /** Offset and length of the merchant's payments in the edition's evidence file, in bytes. */
    evidence_at: number | null
    evidence_bytes: number | null
    /** SHA-256 of the merchant's payments as NDJSON. */
    evidence_sha256: string | null
  }
  /** The long part of a report, separate so that a ranking reads only figures. */
  report_texts: {
    edition: string
    revision: number
    address: string
    /** The report as served, byte for byte. */
    body: string
    /** Lower-case search text: name, address, listings. */
    search_text: string
    /** What the merchant decides, as JSON: claim, wallets, listings. Null as basis is. */
    inputs: string | null
  }
  /** One row: the chain whose reports are served. */
  report_chain: {
    /** Always 1. */
    is_current: number
    /** Hash of its genesis block. */
    chain: string
  }
  /** Everything besides the chain that runs were computed from; one row per content. */
  report_bases: {
    /** SHA-256 of the body. */
    digest: string
    body: string
    /** When a run last used it. */
    used_at: number
  }
  /** Evidence files in chunks of one size, for machines without a shared disk. */
  report_evidence_pieces: {
    file: string
    /** Counted from 0. */
    position: number
    bytes: Uint8Array
    written_at: number
  }
}
