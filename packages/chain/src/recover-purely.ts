import { recoverPublicKey } from '@noble/secp256k1'
import type { Address } from './hex.ts'
import { keccakHex } from './keccak.ts'

/**
 * Returns the address whose key made a signature of 65 bytes (r, s, v) over a digest of 32 bytes; null if no
 * key could have. Accepts only 27 and 28 as v, and any s: the caller rejects what the token rejects. Never
 * throws.
 */
export type RecoverSigner = (
  digest: Uint8Array,
  signature: Uint8Array,
) => Address | null | Promise<Address | null>

/** Recovers in JavaScript: for other platforms than those of the binding, pages, and the cross-check. */
export function recoverPurely(digest: Uint8Array, signature: Uint8Array): Address | null {
  const recoveryId = recoveryIdOf(signature)
  if (recoveryId === null || digest.length !== 32) return null
  try {
    const recoverable = Uint8Array.of(recoveryId, ...signature.subarray(0, 64))
    const key = recoverPublicKey(recoverable, digest, { prehash: false, isCompressed: false })
    // Without the byte that names the uncompressed form; the address is the end of the hash.
    return `0x${keccakHex(key.subarray(1)).slice(-40)}`
  } catch {
    return null
  }
}

/** The recovery id in the last byte of a signature; null if it is none of the token's. */
export function recoveryIdOf(signature: Uint8Array): 0 | 1 | null {
  if (signature.length !== 65) return null
  // FiatTokenV2_2's ECRecover and Permit2's ecrecover accept 27 and 28, never 0 and 1.
  if (signature[64] === 27) return 0
  return signature[64] === 28 ? 1 : null
}
