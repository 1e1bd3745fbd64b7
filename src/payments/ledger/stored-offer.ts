import type { OfferedPayment } from '../payment.ts'

/** Serializes a payment so that another process can settle it later. */
export function toStoredOffer(payment: OfferedPayment): string {
  return JSON.stringify({
    ...payment,
    payload: withoutDiscovery(payment.payload),
    signedAmount: payment.signedAmount.toString(),
  })
}

/** Clients echo the metadata for discovery, several kilobytes, which settling does not need. */
function withoutDiscovery(payload: unknown): unknown {
  if (typeof payload !== 'object' || payload === null || !('extensions' in payload)) return payload
  const { extensions } = payload
  if (typeof extensions !== 'object' || extensions === null || !('bazaar' in extensions)) return payload
  const { bazaar: _, ...others } = extensions
  return { ...payload, extensions: others }
}

/** Reads what `toStoredOffer` wrote. */
export function fromStoredOffer(text: string): OfferedPayment {
  // Only this module writes the column.
  const stored = JSON.parse(text) as Omit<OfferedPayment, 'signedAmount'> & { readonly signedAmount: string }
  return { ...stored, signedAmount: BigInt(stored.signedAmount) }
}
