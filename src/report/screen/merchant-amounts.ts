import type { Address } from '../../chain/hex.ts'
import type { AtomicUsdc } from '../../money/usdc.ts'

/** SQL for an amount by merchant, over columns of the payment table; `otherwise` for every other. */
export function toAmountOfMerchant(amounts: ReadonlyMap<Address, AtomicUsdc>, otherwise: AtomicUsdc): string {
  if (amounts.size === 0) return `toUInt64(${otherwise})`
  // Old servers transform strings only, and drop zero bytes from the end of a FixedString that is cast to one.
  const merchants = [...amounts.keys()].map((merchant) => merchant.slice(2).toUpperCase())
  // ClickHouse analyses one text much faster than a literal for each element.
  return `transform(hex(merchant), splitByChar(',', '${merchants.join()}'),
    CAST('[${[...amounts.values()].join()}]' AS Array(UInt64)), toUInt64(${otherwise}))`
}
