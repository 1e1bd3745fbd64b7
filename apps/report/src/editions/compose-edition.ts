import { setImmediate } from 'node:timers/promises'
import { toGroupKey } from '@tollbook/verify/published/group-key'
import { NOT_FOLLOWED } from '@tollbook/verify/screen/flow/judge-flow'
import { NO_CLAIMS_OR_LISTINGS } from '../claims/claims-and-listings.ts'
import type { PackedEvidence } from '../evidence/pack-evidence.ts'
import type { Figures } from '../run/figures.ts'
import { type StoredBasis, toSha256 } from './basis.ts'
import { type ReportRows, toReportRows } from './report-rows.ts'
import type { StoredEdition } from './stored-reports.ts'

/** Reports composed before the event loop may do other work: about 10 ms. */
const REPORTS_A_TURN = 200

/** Everything that is stored of one revision of a window's reports, as rows of the state's tables. */
export type Edition = {
  readonly row: StoredEdition
  readonly basis: { readonly digest: string; readonly body: string }
  readonly reports: readonly ReportRows[]
}

export type Composing = {
  readonly basis: StoredBasis
  /** Public address of the report service, without a trailing slash. */
  readonly baseUrl: string
  readonly now: Date
  /** 0 for the rolling window, as by default; published weeks start at 1. */
  readonly revision?: number
  /** The packed payments of a week; absent for the rolling window. */
  readonly evidence?: PackedEvidence
  /** Why a week was corrected. */
  readonly reason?: string
}

/** Composes the reports of all merchants and groups. */
export async function composeEdition(figures: Figures, composing: Composing): Promise<Edition> {
  const { revision = 0, evidence, baseUrl, now } = composing
  const body = JSON.stringify(composing.basis)
  const basis = { digest: toSha256(body), body }
  const listed = new Set(composing.basis.listedPayees)
  const { groups } = figures
  const groupOf = new Map(
    (groups?.reports ?? []).flatMap(({ group }) =>
      group.wallets.map((wallet) => [wallet, toGroupKey(group.host)] as const),
    ),
  )
  const { edition, window } = figures
  const common = { edition, window, revision, baseUrl, now, basis: basis.digest }
  const reports: ReportRows[] = []
  for (const merchant of figures.merchants) {
    if (reports.length % REPORTS_A_TURN === REPORTS_A_TURN - 1) await setImmediate()
    const { address } = merchant
    const place = evidence?.places.get(address)
    reports.push(
      toReportRows({
        ...common,
        figures: merchant,
        groupOf: groupOf.get(address) ?? null,
        groupRank: groups?.ranks.get(address) ?? null,
        claimsAndListings: figures.claimsAndListings.get(address) ?? NO_CLAIMS_OR_LISTINGS,
        isListedPayee: listed.has(address),
        followed: figures.followed?.get(address) ?? NOT_FOLLOWED,
        evidence: evidence && place ? { ...place, file: evidence.file } : null,
      }),
    )
  }
  for (const report of groups?.reports ?? []) {
    const isListedPayee = report.group.listedWallets.length > 0
    const ofGroup = { groupOf: null, groupRank: report.figures.rank, isListedPayee, evidence: null }
    const ofWindow = { ...window, isComplete: groups?.isComplete === true }
    reports.push(toReportRows({ ...common, ...report, ...ofGroup, window: ofWindow }))
  }
  return { row: toEditionRow(figures, composing, basis.digest), basis, reports }
}

function toEditionRow(
  { edition, window, merchants, methodVersion, field }: Figures,
  { revision = 0, evidence, reason, now }: Composing,
  basis: string,
): StoredEdition {
  const sum = (amounts: readonly bigint[]) => Number(amounts.reduce((total, amount) => total + amount, 0n))
  const count = (counts: readonly number[]) => counts.reduce((total, each) => total + each, 0)
  return {
    edition,
    revision,
    method: methodVersion,
    start_block: window.startBlock,
    end_block: window.endBlock,
    window_start: window.start * 1000,
    window_end: window.end * 1000,
    is_complete: window.isComplete ? 1 : 0,
    published_at: now.getTime(),
    merchants: merchants.length,
    tx: count(merchants.map(({ tx }) => tx)),
    amount: sum(merchants.map(({ amount }) => amount)),
    real_tx: count(merchants.map(({ realTx }) => realTx)),
    real_amount: sum(merchants.map(({ realAmount }) => realAmount)),
    reason: reason ?? null,
    basis,
    evidence_file: evidence?.file ?? null,
    evidence_sha256: evidence?.sha256 ?? null,
    evidence_bytes: evidence?.bytes ?? null,
    field: field ? JSON.stringify(field) : null,
  }
}
