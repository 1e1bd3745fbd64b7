import type { Address, Hex } from './hex.ts'
import { keccakHex } from './keccak.ts'
import type { RecoverSigner } from './recover-purely.ts'

/** Added to the recovery id in the last byte of a signature. */
const V_BASE = 27
/** 65 bytes: r, s, v. */
const KEY_SIGNATURE = /^0x[0-9a-f]{130}$/i

/** The address whose key signed a text; null if no key did. Never throws. */
export type RecoverMessageSigner = (message: string, signature: Hex) => Promise<Address | null>

export function createMessageRecovery(recoverSigner: RecoverSigner): RecoverMessageSigner {
  return async (message, signature) => {
    if (!KEY_SIGNATURE.test(signature)) return null
    const bytes = toBytes(signature)
    const v = bytes[64] ?? 0
    // Some wallets leave the recovery id as it is.
    if (v < 2) bytes[64] = V_BASE + v
    return await recoverSigner(toBytes(hashMessage(message)), bytes)
  }
}

/** The digest that a key signs for a text (https://eips.ethereum.org/EIPS/eip-191, version 0x45). */
export function hashMessage(message: string): Hex {
  const { length } = new TextEncoder().encode(message)
  return `0x${keccakHex(new TextEncoder().encode(`\x19Ethereum Signed Message:\n${length}${message}`))}`
}

// Without Buffer, which pages lack.
function toBytes(hex: Hex): Uint8Array {
  return Uint8Array.from({ length: (hex.length - 2) / 2 }, (_, at) =>
    Number.parseInt(hex.slice(2 + 2 * at, 4 + 2 * at), 16),
  )
}
