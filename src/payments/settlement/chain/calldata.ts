import type { Address, Hex } from '../../../chain/hex.ts'
import { encodeWords } from '../../../chain/words.ts'
import type { AtomicUsdc } from '../../../money/usdc.ts'
import type { OfferedPayment } from '../../payment.ts'

/** First four bytes of keccak256 of each function's signature; the test derives them from the signatures. */
export const SELECTORS = {
  /** transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32) */
  transferByParts: '0xe3ee160e',
  /** transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,bytes) */
  transferByBytes: '0xcf092995',
  /** authorizationState(address,bytes32) */
  authorizationState: '0xe94a0102',
  /** balanceOf(address) */
  balanceOf: '0x70a08231',
  /** allowance(address,address) */
  allowance: '0xdd62ed3e',
  /** nonceBitmap(address,uint256) of Permit2 */
  nonceBitmap: '0x4fe02b44',
  /** settle(((address,uint256),uint256,uint256),uint256,address,(address,address,uint256),bytes) */
  settle: '0xff11e7b4',
  /** settleWithPermit((uint256,uint256,bytes32,bytes32,uint8),((address,uint256),uint256,uint256),uint256,address,(address,address,uint256),bytes) */
  settleWithPermit: '0x016c1748',
  /** aggregate3((address,bool,bytes)[]) of Multicall3 */
  aggregate3: '0x82ad56cb',
  /** getBlockNumber() of Multicall3 */
  getBlockNumber: '0x42cbb15c',
} as const

/** A call of a contract. */
export type ContractCall = { readonly to: Address; readonly data: Hex }

/**
 * USDC's transferWithAuthorization. 65 bytes are sent as v, r, s, which every version of the token accepts;
 * other signatures as bytes, which contract wallets need (FiatTokenV2_2).
 */
export function encodeTransfer(payment: OfferedPayment, signature: Hex = payment.signature): Hex {
  const { payer, payTo, signedAmount, validAfter, validBefore, nonce } = payment
  const head = encodeWords([payer, payTo, signedAmount, validAfter, validBefore, nonce])
  if (signature.length === 132) {
    const { r, s, v } = splitSignature(signature)
    return `${SELECTORS.transferByParts}${head}${encodeWords([v, r, s])}`
  }
  // Seven words precede the bytes.
  return `${SELECTORS.transferByBytes}${head}${encodeWords([7 * 32])}${encodeBytes(signature)}`
}

/** The proxy's settle, or settleWithPermit if the payer sent an EIP-2612 permit. */
export function encodeUptoSettle(payment: OfferedPayment, amount: AtomicUsdc): Hex {
  const { terms, payer, payTo, signedAmount, nonce, validAfter, validBefore, permit, signature } = payment
  const facilitator = String(terms.extra.facilitatorAddress)
  const fields = [
    terms.asset,
    signedAmount,
    nonce,
    validBefore,
    amount,
    payer,
    payTo,
    facilitator,
    validAfter,
  ]
  if (!permit) return `${SELECTORS.settle}${encodeWords([...fields, 10 * 32])}${encodeBytes(signature)}`
  const { r, s, v } = splitSignature(permit.signature)
  const words = [signedAmount, permit.deadline, r, s, v, ...fields, 15 * 32]
  return `${SELECTORS.settleWithPermit}${encodeWords(words)}${encodeBytes(signature)}`
}

/** Multicall3's aggregate3; every call may fail on its own. */
export function encodeAggregate(calls: readonly ContractCall[]): Hex {
  const items = calls.map(({ to, data }) => `${encodeWords([to, 1, 3 * 32])}${encodeBytes(data)}`)
  const offsets: number[] = []
  let offset = calls.length * 32
  for (const item of items) {
    offsets.push(offset)
    offset += item.length / 2
  }
  return `${SELECTORS.aggregate3}${encodeWords([32, calls.length, ...offsets])}${items.join('')}`
}

/** Decodes for each call of an aggregate3 whether it succeeded, and what it returned. */
export function decodeAggregate(returned: Hex): readonly { readonly isOk: boolean; readonly data: Hex }[] {
  const hex = returned.slice(2)
  const numberAt = (byte: number) => Number(BigInt(`0x${hex.slice(byte * 2, byte * 2 + 64) || '0'}`))
  const list = numberAt(0)
  return Array.from({ length: numberAt(list) }, (_, at) => {
    const item = list + 32 + numberAt(list + 32 + at * 32)
    const bytes = item + numberAt(item + 32)
    const start = (bytes + 32) * 2
    return { isOk: numberAt(item) === 1, data: `0x${hex.slice(start, start + numberAt(bytes) * 2)}` as const }
  })
}

export function splitSignature(signature: Hex): { readonly r: Hex; readonly s: Hex; readonly v: number } {
  return {
    r: `0x${signature.slice(2, 66)}`,
    s: `0x${signature.slice(66, 130)}`,
    v: Number.parseInt(signature.slice(130, 132), 16),
  }
}

/** Length and content of dynamic bytes, padded to words. */
function encodeBytes(data: Hex): string {
  const hex = data.slice(2)
  return encodeWords([hex.length / 2]) + hex.padEnd(Math.ceil(hex.length / 64) * 64, '0')
}
