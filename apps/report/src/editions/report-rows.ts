import { hashText } from '@tollbook/http/reply/rendered-text'
import { composeReport, toGroupReport } from '@tollbook/verify/build/compose-report'
import type { MerchantFigures } from '@tollbook/verify/build/figures'
import type { MerchantReport } from '@tollbook/verify/build/merchant-report'
import { toEndpointPrices } from '@tollbook/verify/listings/endpoint-prices'
import { nameOf, toListingRecords } from '@tollbook/verify/listings/merchant-listings'
import { badgeUrl, pageUrl } from '@tollbook/verify/published/links'
import type { Followed } from '@tollbook/verify/screen/flow/judge-flow'
import type { Insertable } from 'kysely'
import { type ClaimsAndListings, isNameConfirmed } from '../claims/claims-and-listings.ts'
import type { EvidencePlace } from '../evidence/pack-evidence.ts'
import type { Figures } from '../run/figures.ts'
import type { Tables } from '../state/tables.ts'
import { digestReport, renderReportJson } from './report-json.ts'
import { type GroupInputs, writeStoredInputs } from './stored-inputs.ts'

type ReportRow = Insertable<Tables['reports']>
type TextRow = Insertable<Tables['report_texts']>
export type ReportRows = { readonly figures: ReportRow; readonly text: TextRow }

/** The searchable text is cut to this length; only the endpoints of the largest catalogues exceed it. */
const SEARCH_CHARACTERS = 20_000

type ReportParts = Pick<Figures, 'edition' | 'window'> & {
  readonly revision: number
  /** Digest of the edition's stored basis. */
  readonly basis: string
  readonly figures: MerchantFigures
  readonly claimsAndListings: ClaimsAndListings
  readonly isListedPayee: boolean
  readonly followed: Followed
  /** Absent for a wallet. */
  readonly group?: GroupInputs | undefined
  /** As in the table `reports`. */
  readonly groupOf: string | null
  readonly groupRank: number | null
  /** Null when the payments are read from the ledger. */
  readonly evidence: (EvidencePlace & { readonly file: string }) | null
  readonly baseUrl: string
  readonly now: Date
}

/** Composes a merchant's report and the columns stored with it. */
export function toReportRows(parts: ReportParts): ReportRows {
  const report = toReport(parts)
  const { window, figures, evidence, now } = parts
  const key = { edition: parts.edition, revision: parts.revision, address: figures.address }
  const { body, ...served } = toServed(report, now)
  return {
    text: {
      ...key,
      body,
      search_text: toSearchText(report),
      inputs: writeStoredInputs(parts.claimsAndListings, parts),
    },
    figures: {
      ...key,
      ...served,
      start_block: window.startBlock,
      end_block: window.endBlock,
      window_end: window.end * 1000,
      name: report.name,
      operator: parts.groupOf,
      operator_rank: parts.groupRank,
      is_name_confirmed: isNameConfirmed(parts.claimsAndListings, report) ? 1 : 0,
      tx: figures.tx,
      amount: Number(figures.amount),
      real_tx: figures.realTx,
      real_amount: Number(figures.realAmount),
      passing_ppm: figures.amount === 0n ? 0 : Number((figures.realAmount * 1_000_000n) / figures.amount),
      buyers: figures.buyers,
      real_buyers: figures.realBuyers,
      effective_buyers_hundredths: Math.round(100 * (report.effective_buyers ?? 0)),
      returning_buyers: report.returning_buyers ?? -1,
      flags: JSON.stringify(report.flags),
      basis: parts.basis,
      evidence_file: evidence?.file ?? null,
      evidence_at: evidence?.at ?? null,
      evidence_bytes: evidence?.bytes ?? null,
      evidence_sha256: evidence?.sha256 ?? null,
    },
  }
}

function toReport({ window, figures, claimsAndListings, group, baseUrl, now }: ReportParts): MerchantReport {
  const { isClaimed, listings, maxPrice } = claimsAndListings
  const report = composeReport({
    figures,
    window,
    generatedAt: now,
    name: group?.host ?? nameOf(figures.address, listings),
    isClaimed,
    listings: toListingRecords(listings),
    maxPrice,
    endpoints: toEndpointPrices(listings),
    pageUrl: pageUrl(baseUrl, figures.address),
    badgeUrl: badgeUrl(baseUrl, figures.address),
  })
  return group ? toGroupReport(report, group.wallets) : report
}

/** A report's bytes, and the columns derived from its fields. */
export function toServed(report: MerchantReport, now: Date) {
  const body = renderReportJson(report)
  return {
    body,
    etag: hashText(body),
    digest: digestReport(report),
    changed_at: now.getTime(),
    is_frozen: report.frozen ? 1 : 0,
    rank: report.rank_by_real_revenue,
  }
}

function toSearchText({ address, name, bazaar_listings }: MerchantReport): string {
  const offers = bazaar_listings.map(({ resource, description }) => `${resource} ${description}`)
  return [address, name, ...offers].join('\n').slice(0, SEARCH_CHARACTERS).toLowerCase()
}
