import { bytesToHex, type Hex } from './hex.ts'
import { keccak } from './keccak.ts'
import type { KeySigner } from './key-signer.ts'
import type { ContractCall } from './multicall.ts'

/** A transaction of EIP-1559 without value and access list. */
export type TransactionFields = {
  readonly nonce: number
  readonly call: ContractCall
  readonly gas: bigint
  readonly fees: { readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint }
}

export type SignedTransaction = { readonly raw: Hex; readonly hash: Hex }

/** The type of EIP-1559. */
const TYPE = Buffer.of(2)

/** Signs; the bytes of a batch are copied a few times, where a general encoder handles each on its own. */
export async function signTransaction(
  signer: Pick<KeySigner, 'sign'>,
  chainId: number,
  { nonce, call, gas, fees }: TransactionFields,
): Promise<SignedTransaction> {
  const { maxPriorityFeePerGas, maxFeePerGas } = fees
  const numbers = [chainId, nonce, maxPriorityFeePerGas, maxFeePerGas, gas].map(encodeNumber)
  const [value, accessList] = [encodeNumber(0), encodeList([])]
  const fields = [
    ...numbers,
    encodeBytes(toBytes(call.to)),
    value,
    encodeBytes(toBytes(call.data)),
    accessList,
  ]
  const { r, s, yParity } = await signer.sign(keccak(Buffer.concat([TYPE, encodeList(fields)])))
  const signature = [BigInt(yParity), BigInt(r), BigInt(s)].map(encodeNumber)
  const raw = Buffer.concat([TYPE, encodeList([...fields, ...signature])])
  return { raw: bytesToHex(raw), hash: bytesToHex(keccak(raw)) }
}

/** RLP (Yellow Paper, appendix B): a number is its bytes without leading zeros. */
function encodeNumber(value: number | bigint): Buffer {
  return encodeBytes(value === 0 || value === 0n ? Buffer.of() : numberToBytes(value))
}

function encodeBytes(bytes: Buffer): Buffer {
  return bytes.length === 1 && (bytes[0] ?? 0) < 0x80
    ? bytes
    : Buffer.concat([encodeLength(0x80, bytes.length), bytes])
}

function encodeList(items: readonly Buffer[]): Buffer {
  const content = Buffer.concat(items)
  return Buffer.concat([encodeLength(0xc0, content.length), content])
}

function encodeLength(base: number, length: number): Buffer {
  if (length < 56) return Buffer.of(base + length)
  const bytes = numberToBytes(length)
  return Buffer.concat([Buffer.of(base + 55 + bytes.length), bytes])
}

function numberToBytes(value: number | bigint): Buffer {
  const hex = value.toString(16)
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex')
}

function toBytes(hex: Hex): Buffer {
  return Buffer.from(hex.slice(2), 'hex')
}
