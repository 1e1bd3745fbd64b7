import { BASE } from '@tollbook/chain/network'
import type { DiscoveryItem } from '@tollbook/endpoints/documents/discovery'
import type { PaymentRequirements } from '@tollbook/gate/contract/terms'
import { DEMO_SERVICES } from './demo-services.ts'
import { type Flow, loadFlows, rangeOf } from './flows.ts'

/** Maximum number of prices that a merchant lists. */
const VARIANTS = ['', '/batch', '/stream'] as const

/**
 * A discovery catalogue of the demo merchants, one item for each of their prices. The busiest merchants are
 * listed and the last few are not, so that some reports show a merchant without a name. Hosts end in
 * `.example` (RFC 2606), which never resolves.
 */
export function buildDemoListings(updatedAt: Date): readonly DiscoveryItem[] {
  const byRank = Map.groupBy(loadFlows(), ({ merchantRank }) => merchantRank)
  return DEMO_SERVICES.flatMap(([host, path, description], rank) => {
    const flows = byRank.get(rank) ?? []
    const prices = toPrices(flows)
    return VARIANTS.flatMap((variant, index): readonly DiscoveryItem[] => {
      const [price, flow] = [prices[index], flows[0]]
      if (price === undefined || !flow) return []
      const item = { type: 'http', x402Version: 2, lastUpdated: updatedAt.toISOString() } as const
      const resource = `https://${host}.example${path}${variant}`
      const accepts = [toTerms(flow, price)]
      return [{ ...item, resource, accepts, description, mimeType: 'application/json' }]
    })
  })
}

/** The lowest price of each flow; the maximum of a metered one. */
function toPrices(flows: readonly Flow[]): readonly bigint[] {
  const prices = flows.map((flow) => {
    const { min, max } = rangeOf(flow)
    return BigInt(flow.path === 'upto' ? Math.ceil(max) : Math.max(1, Math.floor(min)))
  })
  return [...new Set(prices)]
}

function toTerms({ merchant, path, facilitator }: Flow, price: bigint): PaymentRequirements {
  const domain = { name: BASE.usdcName, version: BASE.usdcVersion }
  const permit2 = { ...domain, assetTransferMethod: 'permit2' }
  const common = {
    network: BASE.id,
    amount: price.toString(),
    asset: BASE.usdc,
    payTo: merchant.address,
    maxTimeoutSeconds: 60,
  } as const
  if (path === 'upto') {
    const facilitatorAddress = facilitator.address
    return { scheme: 'upto', ...common, extra: { ...permit2, facilitatorAddress } }
  }
  return { scheme: 'exact', ...common, extra: path === 'exact-permit2' ? permit2 : domain }
}
