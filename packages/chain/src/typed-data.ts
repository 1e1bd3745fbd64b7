import type { Hex } from './hex.ts'
import { keccak } from './keccak.ts'

type Field = { readonly name: string; readonly type: string }

/** What a wallet signs by EIP-712 (https://eips.ethereum.org/EIPS/eip-712), of any types. */
export type TypedData = {
  readonly domain: {
    readonly name?: string
    readonly version?: string
    readonly chainId?: number | bigint
    readonly verifyingContract?: Hex
    readonly salt?: Hex
  }
  /** Without the type of the domain, which follows from its members. */
  readonly types: Readonly<Record<string, readonly Field[]>>
  readonly primaryType: string
  /** Integers are numbers, bigints or decimal text; addresses and bytes are hex with `0x`. */
  readonly message: Readonly<Record<string, unknown>>
}

/** The members of a domain in the order of EIP-712. */
const DOMAIN: readonly Field[] = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
  { name: 'salt', type: 'bytes32' },
]

/**
 * The 32 bytes that are signed. Types that are known beforehand have a faster encoder in digests.ts.
 * @throws TypeError for a value that is not of its type, or a type that does not exist.
 */
export function hashTypedData(typed: TypedData): Buffer {
  const types = { ...typed.types, EIP712Domain: domainFields(typed) }
  const domain = hashStruct(types, 'EIP712Domain', typed.domain)
  return keccak(
    Buffer.concat([Buffer.of(0x19, 0x01), domain, hashStruct(types, typed.primaryType, typed.message)]),
  )
}

/** The parameter of `eth_signTypedData_v4`: JSON with the type of the domain, and integers as decimal text. */
export function serializeTypedData(typed: TypedData): string {
  const types: Types = { EIP712Domain: domainFields(typed), ...typed.types }
  const { primaryType } = typed
  const domain = withLowerCase(types.EIP712Domain, typed.domain)
  const message = withLowerCase(types[primaryType], typed.message)
  return JSON.stringify({ domain, message, primaryType, types }, (_, value) =>
    typeof value === 'bigint' ? value.toString() : value,
  )
}

/** Some signers refuse an address whose capitals are no checksum. */
function withLowerCase(fields: readonly Field[] = [], members: Readonly<Record<string, unknown>>) {
  const entries = fields
    .filter(({ type }) => type === 'address')
    .map(({ name }) => [name, String(members[name]).toLowerCase()])
  return { ...members, ...Object.fromEntries(entries) }
}

function domainFields({ domain }: TypedData): readonly Field[] {
  return DOMAIN.filter(({ name }) => Object.hasOwn(domain, name))
}

type Types = TypedData['types']

function hashStruct(types: Types, name: string, value: unknown): Buffer {
  const struct = Object.hasOwn(types, name) ? types[name] : undefined
  if (!struct) throw new TypeError(`the type ${name} is not defined`)
  if (typeof value !== 'object' || value === null) throw wrong(name, value)
  const members = value as Readonly<Record<string, unknown>>
  const words = struct.map(({ name: member, type }) => encodeField(types, type, members[member]))
  return keccak(Buffer.concat([keccak(Buffer.from(encodeType(types, name))), ...words]))
}

/** The struct, then those that it refers to, sorted by name. */
function encodeType(types: Types, name: string): string {
  const found = new Set([name])
  // A set iterates over what is added to it on the way.
  for (const each of found)
    for (const { type } of types[each] ?? []) {
      const referred = type.replace(/\[.*$/, '')
      if (Object.hasOwn(types, referred)) found.add(referred)
    }
  found.delete(name)
  return [name, ...[...found].sort()]
    .map((each) => `${each}(${types[each]?.map(({ name: member, type }) => `${type} ${member}`).join(',')})`)
    .join('')
}

/** A word. */
function encodeField(types: Types, type: string, value: unknown): Buffer {
  const [, item, length] = /^(.+)\[(\d*)\]$/.exec(type) ?? []
  if (item !== undefined) {
    if (!Array.isArray(value) || (length !== '' && value.length !== Number(length))) throw wrong(type, value)
    return keccak(Buffer.concat(value.map((each) => encodeField(types, item, each))))
  }
  if (Object.hasOwn(types, type)) return hashStruct(types, type, value)
  if (type === 'string') {
    if (typeof value !== 'string') throw wrong(type, value)
    return keccak(Buffer.from(value))
  }
  if (type === 'bytes') return keccak(toBytes(type, value))
  if (type === 'bool') {
    if (typeof value !== 'boolean') throw wrong(type, value)
    return toWord(value ? 1n : 0n)
  }
  if (type === 'address') return Buffer.concat([Buffer.alloc(12), toBytes(type, value, 20)])
  const [, size] = /^bytes([1-9]|[12]\d|3[0-2])$/.exec(type) ?? []
  if (size !== undefined)
    return Buffer.concat([toBytes(type, value, Number(size)), Buffer.alloc(32 - Number(size))])
  return encodeInteger(type, value)
}

function encodeInteger(type: string, value: unknown): Buffer {
  const [, sign, size] = /^(u?)int(\d+)$/.exec(type) ?? []
  const bits = Number(size)
  if (!(bits >= 8 && bits <= 256 && bits % 8 === 0)) throw new TypeError(`the type ${type} is not defined`)
  const isInteger =
    typeof value === 'bigint' ||
    Number.isSafeInteger(value) ||
    (typeof value === 'string' && /^-?\d+$/.test(value))
  if (!isInteger) throw wrong(type, value)
  const integer = BigInt(value as bigint | number | string)
  const isInRange =
    sign === 'u' ? BigInt.asUintN(bits, integer) === integer : BigInt.asIntN(bits, integer) === integer
  if (!isInRange) throw wrong(type, value)
  return toWord(BigInt.asUintN(256, integer))
}

function toBytes(type: string, value: unknown, size?: number): Buffer {
  if (typeof value !== 'string' || !/^0x(?:[0-9a-f]{2})*$/i.test(value)) throw wrong(type, value)
  const bytes = Buffer.from(value.slice(2), 'hex')
  if (size !== undefined && bytes.length !== size) throw wrong(type, value)
  return bytes
}

function toWord(value: bigint): Buffer {
  return Buffer.from(value.toString(16).padStart(64, '0'), 'hex')
}

function wrong(type: string, value: unknown): TypeError {
  return new TypeError(`a value of typed data is not of the type ${type}: ${typeof value}`)
}
