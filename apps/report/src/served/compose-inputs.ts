import { toUtcText } from '@tollbook/verify/build/compose-report'
import type { MerchantReport } from '@tollbook/verify/build/merchant-report'
import { INPUTS_VERSION, type ReportInputs, type WeekInputs } from '@tollbook/verify/published/inputs'
import {
  evidenceUrl,
  rankingUrl,
  reportUrl,
  type Version,
  weekInputsUrl,
} from '@tollbook/verify/published/links'
import { digestAddresses, type StoredBasis, toSha256 } from '../editions/basis.ts'
import { parseStoredInputs } from '../editions/stored-inputs.ts'
import type { StoredEdition, StoredReport } from '../editions/stored-reports.ts'

export function composeWeekInputs(edition: StoredEdition, stored: StoredBasis): WeekInputs {
  return {
    inputs_version: INPUTS_VERSION,
    edition: edition.edition,
    revision: edition.revision,
    reason: edition.reason,
    published_at: toUtcText(edition.published_at / 1000),
    window: composeWindow(edition),
    ...stored.basis,
    listed_payees: {
      count: stored.listedPayees.length,
      sha256: digestAddresses(stored.listedPayees),
      addresses: [...stored.listedPayees],
    },
    merchants: edition.merchants,
    payments: edition.tx,
    evidence:
      edition.evidence_sha256 === null || edition.evidence_bytes === null
        ? null
        : { sha256: edition.evidence_sha256, size_bytes: edition.evidence_bytes },
  }
}

export function composeWindow(edition: StoredEdition): WeekInputs['window'] {
  return {
    start_block: edition.start_block,
    end_block: edition.end_block,
    complete: edition.is_complete === 1,
    start: toUtcText(edition.window_start / 1000),
    end: toUtcText(edition.window_end / 1000),
  }
}

export type InputsParts = {
  readonly edition: StoredEdition
  readonly report: StoredReport
  readonly stored: StoredBasis
  readonly baseUrl: string
}

export function composeReportInputs({ edition, report, stored, baseUrl }: InputsParts): ReportInputs {
  // The publication writes this very type.
  const { window, generated_at } = JSON.parse(report.body) as MerchantReport
  const { days, ...blocksAndTimes } = window
  const {
    has_listed_payee: has_merchant,
    ranked_merchants: ranked,
    ...ofMerchant
  } = parseStoredInputs(report.inputs ?? '')
  const week = report.revision === 0 ? null : { week: report.edition, revision: report.revision }
  const version: Version = week ?? (days === 7 ? null : { days })
  const { address } = report
  return {
    inputs_version: INPUTS_VERSION,
    edition: report.edition,
    revision: report.revision,
    reason: edition.reason,
    window: blocksAndTimes,
    generated_at,
    address,
    report: { url: reportUrl(baseUrl, address, version), sha256: toSha256(report.body) },
    ...stored.basis,
    listed_payees: {
      count: stored.listedPayees.length,
      sha256: digestAddresses(stored.listedPayees),
      has_merchant,
      url: week ? weekInputsUrl(baseUrl, week) : null,
    },
    ...ofMerchant,
    rank: {
      real_amount: String(report.real_amount),
      real_tx: report.real_tx,
      merchants: ranked ?? edition.merchants,
      url: rankingUrl(baseUrl, version, { isByGroup: ranked !== undefined }),
    },
    evidence:
      report.evidence_sha256 === null
        ? null
        : {
            url: evidenceUrl(baseUrl, address, version),
            payments: report.tx,
            sha256: report.evidence_sha256,
          },
  }
}
