/** Tables of report; columns are created in ../migrations/0004-report.ts and later ones. Amounts are micro-USDC, times epoch milliseconds. */
export type ReportTables = {
  /**
   * One row a source: the base URL of a service or catalogue, the URL of a merchant's document, or the origin whose
   * 402 answers were read.
   */
  report_listing_sources: {
    source: string
    /** When the listings of this source were last replaced; null before the first success. */
    collected_at: number | null
    /** When collecting last failed; the listings of the last success stay. */
    failed_at: number | null
    failure: string | null
    /** `ETag` and `Last-Modified` of a document, for conditional requests. */
    etag: string | null
    modified: string | null
  }
  report_listings: {
    source: string
    resource: string
    /** HTTP method, or the tool's name of an MCP listing; empty when the source does not say. */
    operation: string
    host: string
    pay_to: string
    price: number
    description: string
    /** When the source last had news of it, as the source tells. */
    last_seen: number
    /** When the source was last seen to offer it. */
    seen_at: number
  }
  /** One row an origin of merchants whose own documents and 402 answers are read. */
  report_listing_hosts: {
    origin: string
    /** When the last visit succeeded. */
    visited_at: number | null
    next_visit_at: number
    /** Visits in a row that failed. */
    failures: number
  }
  /** One row a publication: the rolling window, which is overwritten, and each revision of a published week. */
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
    /** Digest of the row in report_bases; null for what was published before those were kept. */
    basis: string | null
    /** Name of the file that holds the payments of a week; null for the rolling window, read from the ledger. */
    evidence_file: string | null
    evidence_sha256: string | null
    evidence_bytes: number | null
  }
  /** One row a merchant and publication: the figures that rank it. */
  reports: {
    edition: string
    revision: number
    address: string
    etag: string
    /** Hash of the report without `generated_at`: what has to differ for the bytes to be written anew. */
    digest: string
    /** When the bytes last changed. */
    changed_at: number
    start_block: number
    end_block: number
    window_end: number
    is_frozen: number
    rank: number | null
    name: string
    tx: number
    amount: number
    real_tx: number
    real_amount: number
    /** Parts per million of the reported amount that pass every screen. */
    passing_ppm: number
    buyers: number
    real_buyers: number
    /** The report's flags as JSON. */
    flags: string
    /** As in report_editions; of the run that wrote this report, which for a frozen one is an older one. */
    basis: string | null
    /** As in report_editions. */
    evidence_file: string | null
    /** Where the merchant's payments begin in the edition's evidence file, and how many bytes they take there. */
    evidence_at: number | null
    evidence_bytes: number | null
    /** SHA-256 of the merchant's payments as NDJSON. */
    evidence_sha256: string | null
  }
  /** The long part of a report, apart from it so that a ranking reads only figures. */
  report_texts: {
    edition: string
    revision: number
    address: string
    /** The report as it is served, byte for byte. */
    body: string
    /** Lower-case text that a search looks through: name, address, listings. */
    search_text: string
    /** What of the report the merchant decides, as JSON: claim, wallets, listings. Null as basis is. */
    inputs: string | null
  }
  /** One row: the chain whose reports are served. */
  report_chain: {
    /** Always 1. */
    is_current: number
    /** Hash of its genesis block. */
    chain: string
  }
  /** What runs were computed with beside the chain: one row a content, since it seldom changes. */
  report_bases: {
    /** SHA-256 of the body. */
    digest: string
    body: string
    /** When a run last used it. */
    used_at: number
  }
  /** Evidence files in pieces of one size, for machines that share no disk. */
  report_evidence_pieces: {
    file: string
    /** Counted from 0. */
    position: number
    bytes: Uint8Array
    written_at: number
  }
}
