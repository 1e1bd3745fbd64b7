import { OFFER_RECEIPT } from '../contract/signed-offers.ts'
import type { OfferedPayment } from '../payment.ts'

/** Serializes a payment so that another process can settle it later. */
export function toStoredOffer(payment: OfferedPayment): string {
  return JSON.stringify({
    ...payment,
    payload: withoutEchoes(payment.payload),
    signedAmount: payment.signedAmount.toString(),
  })
}

/** Clients echo what a 402 contains, several kilobytes, which settling does not need. */
function withoutEchoes(payload: unknown): unknown {
  if (typeof payload !== 'object' || payload === null || !('extensions' in payload)) return payload
  const { extensions } = payload
  if (typeof extensions !== 'object' || extensions === null) return payload
  const others = Object.entries(extensions).filter(([name]) => !ECHOES.has(name))
  return { ...payload, extensions: Object.fromEntries(others) }
}

const ECHOES = new Set(['bazaar', 'sign-in-with-x', OFFER_RECEIPT])

/** Reads what `toStoredOffer` wrote. */
export function fromStoredOffer(text: string): OfferedPayment {
  // Only this module writes the column.
  const stored = JSON.parse(text) as Omit<OfferedPayment, 'signedAmount'> & { readonly signedAmount: string }
  return { ...stored, signedAmount: BigInt(stored.signedAmount) }
}
