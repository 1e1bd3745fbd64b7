import { InvalidAnswer } from '@tollbook/flow/failure'

/** 20 bytes as lower-case hex with `0x`. */
export type Address = `0x${string}`
/** Any bytes as lower-case hex with `0x`. */
export type Hex = `0x${string}`

// Written by hand: a schema library takes longer for a receipt than JSON parsing itself.

const HEX = /^0x[0-9a-f]*$/
/** `0x` and the digits that a double represents exactly. */
const MAX_QUANTITY_LENGTH = 15
const [ZERO, NINE, LETTER_A, LETTER_F, LETTER_X] = [0x30, 0x39, 0x61, 0x66, 0x78]

/** A number of up to 52 bits. @throws InvalidAnswer */
export function parseQuantity(value: unknown, what: string): number {
  if (typeof value !== 'string' || value.length < 3 || value.length > MAX_QUANTITY_LENGTH)
    throw malformed(what)
  if (value.charCodeAt(0) !== ZERO || value.charCodeAt(1) !== LETTER_X) throw malformed(what)
  let quantity = 0
  for (let at = 2; at < value.length; at++) {
    const code = value.charCodeAt(at)
    if (code >= ZERO && code <= NINE) quantity = 16 * quantity + code - ZERO
    else if (code >= LETTER_A && code <= LETTER_F) quantity = 16 * quantity + 10 + code - LETTER_A
    else throw malformed(what)
  }
  return quantity
}

/** 32 bytes in lower case. @throws InvalidAnswer */
export function parseWord(value: unknown, what: string): Hex {
  return parseDigits(value, 66, what)
}

/** 20 bytes in lower case, even if the node uses mixed case. @throws InvalidAnswer */
export function parseAddress(value: unknown, what: string): Address {
  return parseDigits(value, 42, what)
}

/** A number of 32 bytes. @throws InvalidAnswer */
export function parseUint256(value: unknown, what: string): bigint {
  return BigInt(parseWord(value, what))
}

/** A number of any size. @throws InvalidAnswer */
export function parseUint(value: unknown, what: string): bigint {
  const hex = parseHex(value, what)
  // BigInt does not read `0x`.
  if (hex.length < 3) throw malformed(what)
  return BigInt(hex)
}

/** Bytes of any number. @throws InvalidAnswer */
export function parseHex(value: unknown, what: string): Hex {
  return parseDigits(value, typeof value === 'string' ? value.length : 0, what)
}

export function bytesToHex(bytes: Buffer): Hex {
  return `0x${bytes.toString('hex')}`
}

/** The bytes of hex digits without `0x`, also where there is no `Buffer`. */
export function hexToBytes(digits: string): Uint8Array {
  return Uint8Array.from({ length: digits.length / 2 }, (_, at) =>
    Number.parseInt(digits.slice(2 * at, 2 * at + 2), 16),
  )
}

/** A number as JSON-RPC encodes it (https://ethereum.github.io/execution-apis/). */
export function toQuantity(value: number | bigint): Hex {
  return `0x${value.toString(16)}`
}

function parseDigits(value: unknown, length: number, what: string): Hex {
  if (typeof value !== 'string' || value.length !== length) throw malformed(what)
  if (HEX.test(value)) return value as Hex
  const lower = value.toLowerCase()
  if (!HEX.test(lower)) throw malformed(what)
  return lower as Hex
}

function malformed(what: string): InvalidAnswer {
  return new InvalidAnswer(`the chain RPC returned a malformed ${what}`)
}
