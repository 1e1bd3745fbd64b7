import { CONTRACTS } from '@tollbook/chain/contracts'
import type { Hex } from '@tollbook/chain/hex'
import type { AtomicUsdc } from '@tollbook/chain/usdc'
import { encodeBytes, encodeWords } from '@tollbook/chain/words'
import type { OfferedPayment } from '../payment.ts'

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
  /** settle(((address,uint256),uint256,uint256),address,(address,uint256),bytes) */
  settleExact: '0x13cd3b53',
  /** settleWithPermit((uint256,uint256,bytes32,bytes32,uint8),((address,uint256),uint256,uint256),address,(address,uint256),bytes) */
  settleExactWithPermit: '0xfa340378',
  /** settle(((address,uint256),uint256,uint256),uint256,address,(address,address,uint256),bytes) */
  settleUpto: '0xff11e7b4',
  /** settleWithPermit((uint256,uint256,bytes32,bytes32,uint8),((address,uint256),uint256,uint256),uint256,address,(address,address,uint256),bytes) */
  settleUptoWithPermit: '0x016c1748',
  /** getBlockNumber() of Multicall3 */
  getBlockNumber: '0x42cbb15c',
} as const

/** The x402 proxies of Permit2, and how their calldata names the nonce and the payer: the index of the word. */
export const PERMIT2_PROXIES = {
  exact: {
    address: CONTRACTS.exactPermit2Proxy,
    settle: SELECTORS.settleExact,
    settleWithPermit: SELECTORS.settleExactWithPermit,
    nonceAt: 2,
    ownerAt: 4,
  },
  upto: {
    address: CONTRACTS.uptoPermit2Proxy,
    settle: SELECTORS.settleUpto,
    settleWithPermit: SELECTORS.settleUptoWithPermit,
    nonceAt: 2,
    // After the amount to take.
    ownerAt: 5,
  },
} as const
/** The words of an EIP-2612 permit, before those. */
export const PERMIT_WORDS = 5

/** The proxy of a payment that Permit2 moves. */
export function proxyOf({ scheme }: OfferedPayment) {
  return PERMIT2_PROXIES[scheme === 'exact' ? 'exact' : 'upto']
}

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
export function encodePermit2Settle(payment: OfferedPayment, amount: AtomicUsdc): Hex {
  const { scheme, terms, payer, payTo, signedAmount, nonce, validAfter, validBefore, permit } = payment
  const proxy = proxyOf(payment)
  const signed = [terms.asset, signedAmount, nonce, validBefore]
  const fields =
    scheme === 'exact'
      ? [...signed, payer, payTo, validAfter]
      : [...signed, amount, payer, payTo, String(terms.extra.facilitatorAddress), validAfter]
  const bytes = encodeBytes(payment.signature)
  // The last word is where the bytes begin.
  if (!permit) return `${proxy.settle}${encodeWords([...fields, (fields.length + 1) * 32])}${bytes}`
  const { r, s, v } = splitSignature(permit.signature)
  const words = [signedAmount, permit.deadline, r, s, v, ...fields]
  return `${proxy.settleWithPermit}${encodeWords([...words, (words.length + 1) * 32])}${bytes}`
}

export function splitSignature(signature: Hex): { readonly r: Hex; readonly s: Hex; readonly v: number } {
  return {
    r: `0x${signature.slice(2, 66)}`,
    s: `0x${signature.slice(66, 130)}`,
    v: Number.parseInt(signature.slice(130, 132), 16),
  }
}
