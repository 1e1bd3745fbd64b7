import { readGenesisHash } from '@tollbook/chain/blocks'
import type { Address } from '@tollbook/chain/hex'
import type { Rpc } from '@tollbook/chain/rpc/rpc'
import type { AtomicUsdc } from '@tollbook/chain/usdc'
import { createWalletSignatures } from '@tollbook/chain/wallet-signatures'
import { composeReport, toGroupReport } from './build/compose-report.ts'
import type { MerchantFigures } from './build/figures.ts'
import type { MerchantReport } from './build/merchant-report.ts'
import { BASE_CONTRACTS } from './chain/contracts.ts'
import { knownFacilitators } from './chain/facilitators.ts'
import { EVIDENCE } from './chain/payment.ts'
import { isPayment } from './chain/payment-rule.ts'
import type { Check } from './checks/check.ts'
import { checkClaim, DISCLOSED_FIELD } from './checks/check-claim.ts'
import { checkEvidence } from './checks/check-evidence.ts'
import { checkGroupInputs, checkOperatorWallets } from './checks/check-group.ts'
import { checkInputFigures } from './checks/check-input-figures.ts'
import { checkBasis } from './checks/check-inputs.ts'
import { checkLocation } from './checks/check-location.ts'
import { checkRanking } from './checks/check-ranking.ts'
import { checkReportRules } from './checks/check-report-rules.ts'
import { compareReports } from './checks/compare-reports.ts'
import { listFields } from './checks/report-fields.ts'
import { toEndpointPrices } from './listings/endpoint-prices.ts'
import { toListedPrices } from './listings/listed-prices.ts'
import { nameOf, toListingRecords } from './listings/merchant-listings.ts'
import type { StatedListing } from './listings/stated-listing.ts'
import type { Published } from './load-published.ts'
import { digestReportDocument, toSha256 } from './published/digest.ts'
import { CannotCheck, UnusableDocument } from './published/failure.ts'
import { type FoundWindow, findWindow, isWeekEnd } from './published/find-window.ts'
import { isGroupKey, toGroupHost } from './published/group-key.ts'
import type { ReportInputs } from './published/inputs.ts'
import type { PublishedReport } from './published/published-report.ts'
import { toListings, toMaxPrice } from './published/to-listings.ts'
import { readEarlier } from './recompute/read-earlier.ts'
import { readFlow } from './recompute/read-flow.ts'
import type { ReadProgress } from './recompute/read-merchant.ts'
import { readUnion } from './recompute/read-union.ts'
import { recompute, type ScreenedPayment } from './recompute/recompute.ts'
import { requireLogs } from './recompute/require-logs.ts'
import type { Followed } from './screen/flow/judge-flow.ts'
import { METHOD_VERSION, SCREENS, selfPay } from './screen/screens.ts'

export type ReportToVerify = Pick<Published, 'report' | 'inputs' | 'claim' | 'evidence'> & {
  /** Where the report was read; absent: it may be of any merchant and window. */
  readonly location?: string
  /** Absent: the rank is not checked. */
  readonly ranking?: Published['ranking']
  readonly rpc: Rpc
  readonly now: Date
  readonly onProgress?: ReadProgress
}

export type Verification = {
  /** Whether nothing that was compared differs. */
  readonly isEqual: boolean
  readonly checks: readonly Check[]
  /** What a reader should know in addition to the fields. */
  readonly notes: readonly string[]
}

export type ReportVerification = Verification & {
  /** What the chain shows; payments below the floor are not counted. */
  readonly recomputed: { readonly payments: readonly ScreenedPayment[]; readonly floor: AtomicUsdc }
}

/**
 * Recomputes a report from the chain, and compares it with its inputs, evidence and claim, field by field.
 * @throws CannotCheck when the chain does not show enough of the window; what the RPC throws.
 */
export async function verifyReport(
  options: ReportToVerify,
  signal: AbortSignal,
): Promise<ReportVerification> {
  const { report, inputs, rpc, now, evidence } = options
  requireMethod(inputs)
  const { wallets, listedWallets } = toWallets(options)
  const [merchant] = wallets
  const genesisHash = await readGenesisHash(rpc, signal)
  const chainId = Number(await rpc.call('eth_chainId', [], signal))
  const found = await findWindow(rpc, toWindowKey(report), signal)
  await requireLogs(rpc, found, signal)
  const { window } = found
  const facilitators = new Set(inputs.facilitators.addresses as Address[])
  const range = { rpc, firstBlock: found.firstBlock, endBlock: window.endBlock }
  const query = { ...range, contracts: BASE_CONTRACTS, facilitators, onProgress: options.onProgress }
  const union = { ...query, wallets, listedWallets }
  const disclosedWallets = new Set(inputs.disclosed_wallets as Address[])
  const followed = toFollowed(inputs)
  const transfers = {
    ...(await readUnion({ ...union, followed: new Set([...disclosedWallets, ...followed.wallets]) }, signal)),
    earlier:
      report.document.returning_buyers === undefined ? undefined : await readEarlier(union, found, signal),
  }
  const listings = toListings(inputs)
  const recomputed = recompute(transfers, window, {
    merchant,
    // Which payments count was decided for each wallet.
    isListed: true,
    disclosedWallets,
    screens: SCREENS,
    listedPrices: toListedPrices(listings, toMaxPrice(inputs)),
    flow: await readFlow(
      {
        ...range,
        contracts: BASE_CONTRACTS,
        payments: [...transfers.received, ...transfers.escrowed],
        merchant,
        united: new Set(wallets),
        disclosed: disclosedWallets,
        followed,
      },
      signal,
    ),
  })
  const { payments } = recomputed
  const figures = { ...recomputed.figures, address: report.address }
  const evidenceSha256 = evidence === undefined ? undefined : await toSha256(evidence)
  const reportSha256 = await digestReportDocument(report)
  const expected = compose(options, { figures, found, listings })
  const checks = [
    ...sortByFields(expected, [
      ...compareReports(report.document, expected),
      ...(transfers.earlier ? [] : [UNSTATED_RETURNING]),
      ...checkReportRules({ report, inputs, window, figures, now }),
    ]),
    ...checkLocation(options.location ?? '', options),
    ...checkBasis(inputs, { genesisHash, chainId }),
    ...checkInputFigures(inputs, { report, window, figures, reportSha256, evidenceSha256 }),
    ...(isGroupKey(report.address)
      ? checkGroupInputs(inputs)
      : await checkClaim({ inputs, record: options.claim, wallets: createWalletSignatures(rpc) }, signal)),
    ...checkOperatorWallets(inputs),
    ...(evidence === undefined ? [UNREAD_EVIDENCE] : checkEvidence(evidence, payments)),
    ...(options.ranking
      ? checkRanking(options.ranking, { inputs, figures, rank: report.document[RANK] })
      : []),
  ]
  const isEqual = checks.every(({ verdict }) => verdict !== 'differs')
  const isClaimOpen = checks.some(
    ({ field, verdict }) => field === DISCLOSED_FIELD && verdict === 'not_checked',
  )
  const unconfirmed = isClaimOpen ? disclosedWallets : new Set(inputs.operator_wallets as Address[])
  const notes = listNotes(inputs, { merchant, payments, unconfirmed })
  return { isEqual, checks, notes, recomputed: { payments, floor: figures.floor } }
}

/** The wallets of the report, and those of them that a listing names. */
function toWallets({ report: { address }, inputs }: ReportToVerify) {
  const isListed = inputs.listed_payees.has_merchant
  if (!isGroupKey(address))
    return { wallets: [address] as const, listedWallets: new Set(isListed ? [address] : []) }
  const [first, ...others] = (inputs.wallets ?? []) as Address[]
  if (first === undefined) throw new UnusableDocument('the inputs of a merchant group name no wallets')
  const listedWallets = new Set((inputs.listed_wallets ?? []) as Address[])
  return { wallets: [first, ...others] as const, listedWallets }
}

function toFollowed(inputs: ReportInputs): Followed {
  return {
    wallets: (inputs.followed_wallets ?? []) as Address[],
    hubs: (inputs.hubs ?? []) as Address[],
  }
}

const RANK = 'rank_by_real_revenue' satisfies keyof MerchantReport
const UNSTATED_RETURNING: Check = {
  field: 'returning_buyers' satisfies keyof MerchantReport,
  verdict: 'not_checked',
  published: undefined,
  note: 'the report does not state it',
}
const UNREAD_EVIDENCE: Check = {
  field: 'evidence',
  verdict: 'not_checked',
  published: undefined,
  note: 'the evidence could not be read, or was updated since',
}

/** Another method produces different figures. */
function requireMethod({ method }: ReportInputs): void {
  if (method.version === METHOD_VERSION) return
  throw new CannotCheck(
    `the report was computed with method version ${method.version.slice(0, 20)}, and this Tollbook computes ` +
      `version ${METHOD_VERSION}: verify it with a Tollbook of that version`,
  )
}

/** The expected report: figures of the chain, and the fields that the inputs state. */
function compose(
  { report, inputs }: ReportToVerify,
  {
    figures,
    found,
    listings,
  }: {
    readonly figures: MerchantFigures
    readonly found: FoundWindow
    readonly listings: readonly StatedListing[]
  },
): MerchantReport {
  const { document, address } = report
  const generatedAt = new Date(String(document.generated_at))
  const { exchange_flow_note: note } = document
  const isGroup = isGroupKey(address)
  const expected = composeReport({
    figures,
    window: found.window,
    // Checked by rules; here any time, link or note will do.
    generatedAt: Number.isNaN(generatedAt.getTime()) ? new Date(0) : generatedAt,
    ...(note === null || typeof note === 'string' ? { exchangeFlowNote: note } : {}),
    pageUrl: String(document.page),
    badgeUrl: String(document.badge),
    name: isGroup ? toGroupHost(address) : nameOf(address, listings),
    isClaimed: inputs.claimed,
    listings: toListingRecords(listings),
    maxPrice: toMaxPrice(inputs),
    endpoints: toEndpointPrices(listings),
  })
  return isGroup ? toGroupReport(expected, (inputs.wallets ?? []) as Address[]) : expected
}

/** In the order of the specification's fields; unknown fields come last. */
function sortByFields(expected: MerchantReport, checks: readonly Check[]): readonly Check[] {
  const places = new Map([...listFields(expected).keys()].map((field, at) => [field, at]))
  const placeOf = ({ field }: Check) => places.get(field) ?? places.size
  return checks.toSorted((a, b) => placeOf(a) - placeOf(b))
}

/** A week is identified by its end time, the rolling window by its block. */
function toWindowKey({ endBlock, end, days }: PublishedReport) {
  return isWeekEnd(end) ? { endBlock, end, days } : { endBlock, days }
}

type Counted = {
  readonly merchant: Address
  readonly payments: readonly ScreenedPayment[]
  /** Disclosed wallets that no published claim confirms. */
  readonly unconfirmed: ReadonlySet<Address>
}

function listNotes(inputs: ReportInputs, { merchant, payments, unconfirmed }: Counted): readonly string[] {
  const known = knownFacilitators()
  const listed = new Set(inputs.listed_payees.has_merchant ? [merchant] : [])
  const countsByOurs = (payment: ScreenedPayment) =>
    isPayment(
      known.has(payment.facilitator)
        ? payment
        : { ...payment, evidence: payment.evidence & ~EVIDENCE.knownFacilitator },
      listed,
    )
  const byAdded = payments.filter((payment) => !countsByOurs(payment)).length
  const byDisclosed = payments.filter(
    ({ flag, buyer }) => flag === selfPay.kind && buyer !== merchant && unconfirmed.has(buyer),
  ).length
  const byListing = payments.filter((payment) => !isPayment(payment, new Set())).length
  return [
    ...(byAdded > 0
      ? [
          `${byAdded} of ${payments.length} payments count only because of facilitators that the publisher added.`,
        ]
      : []),
    ...(byDisclosed > 0
      ? [
          `${byDisclosed} of ${payments.length} payments are flagged only because of disclosed wallets that no published claim confirms.`,
        ]
      : []),
    ...(byListing > 0
      ? [`${byListing} of ${payments.length} payments count only because the inputs list the merchant.`]
      : []),
  ]
}
