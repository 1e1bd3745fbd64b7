import { toOfferedRoute } from '../../src/catalogue/routes/offered-route.ts'
import type { Service } from '../../src/catalogue/service.ts'
import { devPayTo } from '../../src/devchain/accounts.ts'
import { BASE } from '../../src/money/network.ts'
import {
  buildPaymentRequired,
  type FullPaymentRequired,
} from '../../src/payments/challenge/payment-required.ts'
import type { SellerTerms } from '../../src/payments/contract/terms.ts'
import { contrast } from '../../src/utility/endpoints/api/a11y/contrast/endpoint.ts'

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
