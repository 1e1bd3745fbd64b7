import type Secp256k1 from 'secp256k1'
import { recoverAddress } from 'viem/utils'
import type { Address } from './hex.ts'
import { keccak } from './keccak.ts'
import { loadSecp256k1 } from './secp256k1.ts'

/**
 * Returns the address whose key made a signature of 65 bytes (r, s, v) over a digest of 32 bytes; null if no
 * key could have. Accepts only 27 and 28 as v, and any s: the caller rejects what the token rejects. Never
 * throws.
 */
export type RecoverSigner = (
  digest: Uint8Array,
  signature: Uint8Array,
) => Address | null | Promise<Address | null>

export type SignerRecovery = {
  /** `native`: libsecp256k1, 60 to 110 microseconds; `pure`: JavaScript, about 1,500. */
  readonly kind: 'native' | 'pure'
  readonly recoverSigner: RecoverSigner
}

/** A signature by the key of 32 bytes 0x01 (RFC 6979) over 32 bytes 0x02, made with viem. */
const KNOWN = {
  digest: Buffer.alloc(32, 2),
  signature: Buffer.from(
    '97ef30233ead25d10f7bb2bf9eaf571a16f2deb33a75f20819284f0cb8ff3cc14870ca05940199c113b4dc77866f001702691cde269f6835581e7aea1ead26601b',
    'hex',
  ),
  signer: '0x1a642f0e3c3af545e7acbd38b07251b3990914f1',
} as const

/** Uses libsecp256k1 if its prebuilt binding loads and returns the known answer, otherwise plain JavaScript. */
export function loadSignerRecovery(): SignerRecovery {
  const secp256k1 = loadSecp256k1()
  if (secp256k1) {
    const recoverSigner = createNativeRecovery(secp256k1)
    if (recoverSigner(KNOWN.digest, KNOWN.signature) === KNOWN.signer)
      return { kind: 'native', recoverSigner }
  }
  return { kind: 'pure', recoverSigner: recoverPurely }
}

function createNativeRecovery(
  secp256k1: typeof Secp256k1,
): (digest: Uint8Array, signature: Uint8Array) => Address | null {
  return (digest, signature) => {
    const recoveryId = recoveryIdOf(signature)
    if (recoveryId === null || digest.length !== 32) return null
    try {
      const key = secp256k1.ecdsaRecover(signature.subarray(0, 64), recoveryId, digest, false)
      return `0x${keccak(key.subarray(1)).toString('hex', 12)}`
    } catch {
      // r or s is zero or not below the curve's order, or no point has this r.
      return null
    }
  }
}

/** The same with viem; exported for the cross-check and for platforms without the binding. */
export async function recoverPurely(digest: Uint8Array, signature: Uint8Array): Promise<Address | null> {
  if (recoveryIdOf(signature) === null || digest.length !== 32) return null
  try {
    const address = await recoverAddress({
      hash: new Uint8Array(digest),
      signature: new Uint8Array(signature),
    })
    return address.toLowerCase() as Address
  } catch {
    return null
  }
}

function recoveryIdOf(signature: Uint8Array): 0 | 1 | null {
  if (signature.length !== 65) return null
  // FiatTokenV2_2's ECRecover and Permit2's ecrecover accept 27 and 28, never 0 and 1.
  if (signature[64] === 27) return 0
  return signature[64] === 28 ? 1 : null
}
