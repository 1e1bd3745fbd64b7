import type { Hex } from '../../../chain/hex.ts'
import type { ContractCall } from '../chain/calldata.ts'
import type { Fees } from '../chain/fees.ts'

/** The fields of our transactions (EIP-1559, no value, no access list). */
export type TransactionFields = {
  readonly chainId: number
  readonly nonce: number
  readonly call: ContractCall
  readonly gas: bigint
  readonly fees: Fees
}

export type TransactionSignature = { readonly r: Hex; readonly s: Hex; readonly yParity: number }

/** Type byte of EIP-1559. */
const TYPE = Buffer.of(0x02)

/** Encodes a transaction as RLP, with its signature, or without it for signing. */
export function serializeTransaction(fields: TransactionFields, signature?: TransactionSignature): Buffer {
  const { chainId, nonce, call, gas, fees } = fields
  const items = [
    encodeNumber(chainId),
    encodeNumber(nonce),
    encodeNumber(fees.maxPriorityFeePerGas),
    encodeNumber(fees.maxFeePerGas),
    encodeNumber(gas),
    encodeBytes(Buffer.from(call.to.slice(2), 'hex')),
    encodeNumber(0),
    encodeBytes(Buffer.from(call.data.slice(2), 'hex')),
    encodeList([]),
  ]
  if (signature)
    items.push(
      encodeNumber(signature.yParity),
      encodeNumber(BigInt(signature.r)),
      encodeNumber(BigInt(signature.s)),
    )
  return Buffer.concat([TYPE, encodeList(items)])
}

/** Numbers are big-endian without leading zeros; zero is empty (Ethereum yellow paper, appendix B). */
function encodeNumber(value: number | bigint): Buffer {
  if (value === 0 || value === 0n) return encodeBytes(Buffer.alloc(0))
  const hex = value.toString(16)
  return encodeBytes(Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex'))
}

function encodeBytes(bytes: Buffer): Buffer {
  const isOwnCode = bytes.length === 1 && (bytes[0] ?? 0) < 0x80
  return isOwnCode ? bytes : Buffer.concat([encodeLength(bytes.length, 0x80), bytes])
}

function encodeList(items: readonly Buffer[]): Buffer {
  const content = Buffer.concat(items)
  return Buffer.concat([encodeLength(content.length, 0xc0), content])
}

/**
 * Up to 55 bytes the length is in the first byte, above in further bytes, whose number the first one
 * contains.
 */
function encodeLength(length: number, offset: number): Buffer {
  if (length < 56) return Buffer.of(offset + length)
  const hex = length.toString(16)
  const bytes = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex')
  return Buffer.concat([Buffer.of(offset + 55 + bytes.length), bytes])
}
