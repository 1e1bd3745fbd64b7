import { devPayTo } from '@tollbook/chain/dev-accounts'
import { BASE } from '@tollbook/chain/network'
import { toOfferedRoute } from '@tollbook/endpoints/routes/offered-route'
import type { Service } from '@tollbook/endpoints/service'
import { buildPaymentRequired, type FullPaymentRequired } from '@tollbook/gate/challenge/payment-required'
import type { SellerTerms } from '@tollbook/gate/contract/terms'
import { contrast } from '@tollbook/utility/endpoints/api/a11y/contrast/endpoint'

/**
 * The endpoint that every server of a benchmark sells. It does little work, so that the benchmark measures
 * the payment path.
 */
export const ROUTE = contrast.path
export const PRICE_MICRO_USDC = 1_000n
/** Arguments that are served, with nothing to suggest, because suggestions would be most of the work. */
export const QUERY = '?fg=%23000&bg=white'

/** How our own 402 describes that endpoint, so that another server can offer the same. */
export function describeRoute(baseUrl: string): FullPaymentRequired {
  const service: Service = {
    name: 'utility',
    title: 'Tollbook Utility',
    description: '',
    baseUrl,
    endpoints: [],
    ports: {},
  }
  const seller: SellerTerms = {
    network: BASE.id,
    asset: BASE.usdc,
    assetName: BASE.usdcName,
    assetVersion: BASE.usdcVersion,
    payTo: devPayTo.utility,
  }
  return buildPaymentRequired(toOfferedRoute(service, contrast), seller)
}
