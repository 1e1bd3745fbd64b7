import { getPublicKey, signAsync } from '@noble/secp256k1'
import type { Address, Hex } from './hex.ts'
import { hashMessage } from './message-signer.ts'
import { addressOfKey, loadSecp256k1 } from './secp256k1.ts'

export type Signature = { readonly r: Hex; readonly s: Hex; readonly yParity: number }

/** Signs digests of 32 bytes with one key, which stays inside; no error message contains it. */
export type KeySigner = {
  readonly address: Address
  sign(digest: Uint8Array): Promise<Signature>
}

/**
 * With libsecp256k1 if it loads (60 microseconds for a signature), otherwise with JavaScript (about 800); both follow
 * RFC 6979.
 * @throws TypeError if the key is not a private key of secp256k1.
 */
export function createKeySigner(key: Hex): KeySigner {
  const secp256k1 = loadSecp256k1()
  if (!secp256k1) return createPureSigner(key)
  const bytes = Buffer.from(key.slice(2), 'hex')
  return {
    address: addressOfKey(orRefuse(() => secp256k1.publicKeyCreate(bytes, false))),
    async sign(digest) {
      const { signature, recid } = secp256k1.ecdsaSign(digest, bytes)
      return toSignature(signature, recid)
    },
  }
}

/** The same in JavaScript; exported for the cross-check and for platforms without the binding. */
export function createPureSigner(key: Hex): KeySigner {
  const bytes = Buffer.from(key.slice(2), 'hex')
  return {
    address: addressOfKey(orRefuse(() => getPublicKey(bytes, false))),
    async sign(digest) {
      const signed = await signAsync(digest, bytes, { prehash: false, format: 'recovered' })
      return toSignature(signed.subarray(1), signed[0] ?? 0)
    },
  }
}

/** Signs a text as wallets do (EIP-191, `personal_sign`). @returns 65 bytes: r, s, v. */
export async function signMessage(signer: Pick<KeySigner, 'sign'>, message: string): Promise<Hex> {
  const { r, s, yParity } = await signer.sign(Buffer.from(hashMessage(message).slice(2), 'hex'))
  return `0x${r.slice(2)}${s.slice(2)}${yParity === 0 ? '1b' : '1c'}`
}

function orRefuse(derive: () => Uint8Array): Uint8Array {
  try {
    return derive()
  } catch {
    // The cause's message may contain the key.
    throw new TypeError('the key is not a private key of secp256k1')
  }
}

function toSignature(signature: Uint8Array, yParity: number): Signature {
  return { r: toHex(signature.subarray(0, 32)), s: toHex(signature.subarray(32)), yParity }
}

function toHex(bytes: Uint8Array): Hex {
  return `0x${Buffer.from(bytes).toString('hex')}`
}
