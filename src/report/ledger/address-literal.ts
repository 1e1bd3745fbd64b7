import type { Address } from '../chain/payment.ts'

/** An address in SQL, as the 20 bytes that the ledger stores. @throws TypeError for anything but an address. */
export function toAddressLiteral(address: Address): string {
  if (!/^0x[0-9a-f]{40}$/.test(address)) throw new TypeError(`not a lower-case address: ${address}`)
  return `toFixedString(unhex('${address.slice(2)}'), 20)`
}
