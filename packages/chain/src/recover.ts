import type Secp256k1 from 'secp256k1'
import type { Address } from './hex.ts'
import { type RecoverSigner, recoverPurely, recoveryIdOf } from './recover-purely.ts'
import { addressOfKey, loadSecp256k1 } from './secp256k1.ts'

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
      return addressOfKey(key)
    } catch {
      // r or s is zero or not below the curve's order, or no point has this r.
      return null
    }
  }
}
