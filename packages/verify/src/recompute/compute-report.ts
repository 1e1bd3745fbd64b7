import type { Address } from '@tollbook/chain/hex'
import type { Rpc } from '@tollbook/chain/rpc/rpc'
import { composeReport } from '../build/compose-report.ts'
import type { MerchantReport } from '../build/merchant-report.ts'
import { BASE_CONTRACTS } from '../chain/contracts.ts'
import { toEndpointPrices } from '../listings/endpoint-prices.ts'
import { toListedPrices } from '../listings/listed-prices.ts'
import { nameOf, toListingRecords } from '../listings/merchant-listings.ts'
import type { StatedListing } from '../listings/stated-listing.ts'
import { findWindow, type WindowKey } from '../published/find-window.ts'
import { badgeUrl, pageUrl } from '../published/links.ts'
import { NO_FLOW } from '../screen/flow/judge-flow.ts'
import { SCREENS } from '../screen/screens.ts'
import { readEarlier } from './read-earlier.ts'
import { type ReadProgress, readMerchant } from './read-merchant.ts'
import { recompute } from './recompute.ts'
import { requireLogs } from './require-logs.ts'

export type ReportRequest = {
  readonly rpc: Rpc
  readonly merchant: Address
  /** Absent: the seven days before the newest final block. */
  readonly key?: WindowKey | undefined
  readonly facilitators: ReadonlySet<Address>
  /** Offers with the merchant as payee: its name, and why transfers not sent by facilitators count. */
  readonly listings: readonly StatedListing[]
  /** Public address of the report service, for the report's page and badge. */
  readonly baseUrl: string
  readonly now: Date
  readonly onProgress?: ReadProgress | undefined
}

/**
 * Computes a merchant's report from a chain, without a server: unclaimed, and without a rank. Null if
 * unpaid.
 * @throws CannotCheck when the chain does not show enough of the window; what the RPC throws.
 */
export async function computeReport(
  request: ReportRequest,
  signal: AbortSignal,
): Promise<MerchantReport | null> {
  const { rpc, merchant, facilitators, listings, baseUrl, now } = request
  const found = await findWindow(rpc, request.key ?? 'newest', signal)
  const { window } = found
  const range = { firstBlock: found.firstBlock, endBlock: window.endBlock }
  const query = { rpc, contracts: BASE_CONTRACTS, facilitators, wallets: [merchant], ...range }
  const transfers = await readMerchant({ ...query, onProgress: request.onProgress }, signal)
  await requireLogs(rpc, found, signal)
  const listedWallets = new Set(listings.length > 0 ? [merchant] : [])
  const earlier = await readEarlier({ ...query, wallets: [merchant], listedWallets }, found, signal)
  const { figures } = recompute({ ...transfers, earlier }, window, {
    merchant,
    isListed: listings.length > 0,
    disclosedWallets: new Set(),
    screens: SCREENS,
    listedPrices: toListedPrices(listings),
    // Finding the wallets between takes the transfers of every buyer.
    flow: NO_FLOW,
  })
  if (figures.amount === 0n) return null
  return composeReport({
    figures,
    window,
    generatedAt: now,
    name: nameOf(merchant, listings),
    isClaimed: false,
    listings: toListingRecords(listings),
    maxPrice: null,
    endpoints: toEndpointPrices(listings),
    pageUrl: pageUrl(baseUrl, merchant),
    badgeUrl: badgeUrl(baseUrl, merchant),
  })
}
