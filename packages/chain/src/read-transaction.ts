import { type Address, bytesToHex, type Hex } from './hex.ts'
import type { Signature } from './key-signer.ts'

/** A signed transaction of EIP-1559. */
export type ReadTransaction = Signature & {
  readonly chainId: number
  readonly nonce: number
  readonly maxPriorityFeePerGas: bigint
  readonly maxFeePerGas: bigint
  readonly gas: bigint
  /** Null creates a contract. */
  readonly to: Address | null
  readonly value: bigint
  readonly data: Hex
}

/** chainId, nonce, two fees, gas, to, value, data, access list, and the signature. */
const FIELDS = 12
const WORD = 32

/**
 * Reads a signed transaction of type 2 (https://eips.ethereum.org/EIPS/eip-1559), whatever its access list is.
 * @throws TypeError for anything else.
 */
export function readTransaction(raw: Hex): ReadTransaction {
  const bytes = /^0x02(?:[0-9a-f]{2})+$/i.test(raw) ? Buffer.from(raw.slice(4), 'hex') : null
  const items = bytes && readList(bytes)
  if (items?.length !== FIELDS) throw malformed()
  const [chainId, nonce, tip, maxFee, gas, to, value, data, accessList, yParity, r, s] = items
  const isList = accessList !== undefined && (accessList.header[0] ?? 0) >= LIST
  if (!isList || (to?.content.length !== 0 && to?.content.length !== 20)) throw malformed()
  return {
    chainId: toNumber(chainId),
    nonce: toNumber(nonce),
    maxPriorityFeePerGas: toInteger(tip),
    maxFeePerGas: toInteger(maxFee),
    gas: toInteger(gas),
    to: to.content.length === 0 ? null : bytesToHex(to.content),
    value: toInteger(value),
    data: bytesToHex(toContent(data)),
    r: toWord(r),
    s: toWord(s),
    yParity: toParity(yParity),
  }
}

/** `header` is empty for a byte that is its own encoding. */
type Item = { readonly header: Buffer; readonly content: Buffer }

const STRING = 0x80
const LIST = 0xc0
/** The longest content whose length is in the first byte. */
const SHORT = 55

/** The items of a list that takes all of the bytes (RLP, Yellow Paper, appendix B). */
function readList(bytes: Buffer): readonly Item[] {
  const { item, rest } = readItem(bytes)
  if (rest.length > 0 || (item.header[0] ?? 0) < LIST) throw malformed()
  const items: Item[] = []
  for (let left = item.content; left.length > 0; ) {
    const next = readItem(left)
    items.push(next.item)
    left = next.rest
  }
  return items
}

function readItem(bytes: Buffer): { readonly item: Item; readonly rest: Buffer } {
  const [first] = bytes
  if (first === undefined) throw malformed()
  if (first < STRING)
    return { item: { header: Buffer.of(), content: bytes.subarray(0, 1) }, rest: bytes.subarray(1) }
  const short = first - (first < LIST ? STRING : LIST)
  const lengthBytes = Math.max(0, short - SHORT)
  const length = lengthBytes === 0 ? short : Number.parseInt(bytes.toString('hex', 1, 1 + lengthBytes), 16)
  const start = 1 + lengthBytes
  // Also false for a length that is cut off.
  if (!(start + length <= bytes.length)) throw malformed()
  const item = { header: bytes.subarray(0, start), content: bytes.subarray(start, start + length) }
  return { item, rest: bytes.subarray(start + length) }
}

function toContent(item: Item | undefined): Buffer {
  if (!item || (item.header[0] ?? 0) >= LIST) throw malformed()
  return item.content
}

/** Of at most 32 bytes, without leading zeros. */
function toInteger(item: Item | undefined): bigint {
  const content = toContent(item)
  if (content.length > WORD || content[0] === 0) throw malformed()
  return BigInt(`0x0${content.toString('hex')}`)
}

function toNumber(item: Item | undefined): number {
  const integer = toInteger(item)
  if (integer > Number.MAX_SAFE_INTEGER) throw malformed()
  return Number(integer)
}

function toParity(item: Item | undefined): number {
  const parity = toNumber(item)
  if (parity > 1) throw malformed()
  return parity
}

/** A half of a signature; some signers keep its leading zeros. */
function toWord(item: Item | undefined): Hex {
  const content = toContent(item)
  if (content.length === 0 || content.length > WORD) throw malformed()
  return `0x${content.toString('hex').padStart(2 * WORD, '0')}`
}

function malformed(): TypeError {
  return new TypeError('not a signed transaction of EIP-1559')
}
