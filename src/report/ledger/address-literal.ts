import type { Address } from '../chain/payment.ts'

/**
 * An address in SQL, as the 20 bytes that the ledger stores: a text of escapes, since twenty thousand calls of
 * `unhex` take ten seconds to be understood.
 * @throws TypeError for anything but an address.
 */
export function toAddressLiteral(address: Address): string {
  if (!/^0x[0-9a-f]{40}$/.test(address)) throw new TypeError(`not a lower-case address: ${address}`)
  return `'${address.slice(2).replace(/../g, '\\x$&')}'`
}
