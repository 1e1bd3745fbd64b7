import { InvalidAnswer } from '../../fetching/failure.ts'
import type { Address, Hex } from './payment.ts'

// Written by hand, since a schema library takes longer for a receipt than JSON itself.

const ANY = /^0x[0-9a-f]*$/
const QUANTITY = /^0x[0-9a-f]{1,13}$/

/** A number of at most 52 bits. @throws InvalidAnswer */
export function toQuantity(value: unknown, what: string): number {
  if (typeof value !== 'string' || !QUANTITY.test(value)) throw malformed(what)
  return Number.parseInt(value, 16)
}

/** 32 bytes in lower case. @throws InvalidAnswer */
export function toHash(value: unknown, what: string): Hex {
  return toHex(value, 66, what)
}

/** 20 bytes in lower case, also when the node writes them in mixed case. @throws InvalidAnswer */
export function toAddress(value: unknown, what: string): Address {
  return toHex(value, 42, what)
}

/** Any bytes in lower case. @throws InvalidAnswer */
export function toBytes(value: unknown, what: string): Hex {
  return toHex(value, null, what)
}

function toHex(value: unknown, length: number | null, what: string): Hex {
  if (typeof value !== 'string' || (length !== null && value.length !== length)) throw malformed(what)
  if (ANY.test(value)) return value as Hex
  const lower = value.toLowerCase()
  if (!ANY.test(lower)) throw malformed(what)
  return lower as Hex
}

function malformed(what: string): InvalidAnswer {
  return new InvalidAnswer(`the chain RPC gave a malformed ${what}`)
}
