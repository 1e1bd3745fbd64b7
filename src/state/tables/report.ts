/** Tables of report; columns are created in ../migrations/0004-report.ts. Amounts are micro-USDC, times epoch milliseconds. */
export type ReportTables = {
  /** One row a discovery source, such as the base URL of a service. */
  report_listing_sources: {
    source: string
    /** When the listings of this source were last replaced; null before the first success. */
    collected_at: number | null
    /** When collecting last failed; the listings of the last success stay. */
    failed_at: number | null
    failure: string | null
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
    last_seen: number
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
  }
}
