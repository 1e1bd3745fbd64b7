import type { Address } from '@tollbook/chain/hex'

/** The SQL of a set of addresses, for `IN`: ClickHouse analyses one text much faster than thousands of literals. */
export function toAddressSet(addresses: Iterable<Address>): string {
  const text = [...addresses].map(toHex).join()
  return `(SELECT toFixedString(unhex(arrayJoin(splitByChar(',', materialize('${text}')))), 20))`
}

/** The 20 bytes of an address as SQL escapes: parsing twenty thousand `unhex` calls takes ten seconds. */
export function toAddressLiteral(address: Address): string {
  return `'${toHex(address).replace(/../g, '\\x$&')}'`
}

function toHex(address: Address): string {
  if (!/^0x[0-9a-f]{40}$/.test(address)) throw new TypeError(`not a lower-case address: ${address}`)
  return address.slice(2)
}
