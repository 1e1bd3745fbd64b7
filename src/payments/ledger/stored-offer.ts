import type { OfferedPayment } from '../payment.ts'

/** Echoed metadata for discovery, several kilobytes, which settling does not need. */
const DISCOVERY_EXTENSION = 'bazaar'

/** Writes a payment so that another process can settle it later. */
export function toStoredOffer(payment: OfferedPayment): string {
  return JSON.stringify(payment, (key, value: unknown) => {
    if (typeof value === 'bigint') return value.toString()
    return key === DISCOVERY_EXTENSION ? undefined : value
  })
}

/** Reads back what `toStoredOffer` wrote. */
export function fromStoredOffer(text: string): OfferedPayment {
  // Only this module writes the column.
  const stored = JSON.parse(text) as Omit<OfferedPayment, 'signedAmount'> & { readonly signedAmount: string }
  return { ...stored, signedAmount: BigInt(stored.signedAmount) }
}
