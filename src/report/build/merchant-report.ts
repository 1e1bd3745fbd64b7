/** The merchant report, field for field as in section 2.1 of the specification. Dollars are JSON numbers. */
export type MerchantReport = {
  readonly schema_version: '1'
  readonly generated_at: string
  readonly license: string
  readonly chain: 'base'
  readonly address: string
  readonly name: string
  readonly claimed: boolean
  readonly frozen: boolean
  readonly last_seen_week: string
  readonly rank_by_real_revenue: number | null
  readonly window: ReportWindow
  readonly claim: string
  readonly tx: number
  readonly usd: number
  readonly real_tx: number
  readonly real_usd: number
  readonly buyers: number
  readonly real_buyers: number
  readonly top_buyer_share: number
  readonly flags: Readonly<Record<string, FlagRecord>>
  readonly flag_note: string
  readonly exchange_flow_note?: string | null
  readonly paid: PaidAmounts
  readonly bazaar_listings: readonly ListingRecord[]
  readonly daily: readonly DailyRecord[]
  readonly page: string
  readonly badge: string
}

export type ReportWindow = {
  readonly start_block: number
  readonly end_block: number
  readonly complete: boolean
  readonly start: string
  readonly end: string
  readonly days: number
}

export type FlagRecord = { readonly tx: number; readonly usd: number }

export type PaidAmounts = {
  readonly median: number
  readonly p25: number
  readonly p75: number
  readonly median_passing: number
}

export type ListingRecord = {
  readonly resource: string
  readonly price_usd: number
  readonly description: string
}

export type DailyRecord = {
  readonly date: string
  readonly tx: number
  readonly usd: number
  readonly real_usd: number
}
